// Executed in each context before its module. It defines what JavaScript has beside the language
// (`console`, `assert`, exceptions of Python), and how values cross to Python and back.
//
// Values cross as JSON; others are written as {"$": [tag, ...]}. The names of all functions here
// begin with `$py`: by this, frames of a stack are recognised that are not the author's.
(function $pyPrelude() {
  "use strict";

  const { $pyCall, $pyPrint, $pyRandom } = globalThis;
  for (const name of ["$pyCall", "$pyPrint", "$pyRandom"]) delete globalThis[name];
  const { parse, stringify } = JSON;
  const { apply, defineProperty, getPrototypeOf } = Reflect;
  const { is, keys, hasOwn } = Object;
  const { isArray } = Array;
  const { isSafeInteger, isInteger, isFinite } = Number;
  const { join } = Array.prototype;
  const deepest = 200;

  /** Concatenate texts; the engine's own concatenation may give what Python can't read. */
  const $pyJoin = function (...texts) {
    return apply(join, texts, [""]);
  };

  // --- objects that stay on their side ---------------------------------------------------------

  const kept = []; // what Python refers to by number
  const numbers = new WeakMap(); // the numbers of `kept`
  const things = new Map(); // stand-ins of Python's objects, by number
  const handles = new WeakMap(); // the numbers of `things`

  const $pyKeep = function (value) {
    let number = numbers.get(value);
    if (number === undefined) {
      number = kept.push(value) - 1;
      numbers.set(value, number);
    }
    return number;
  };

  const $pyIterate = function* (number) {
    for (;;) {
      const next = $pyRequest("next", number, []);
      if (!next.length) return;
      yield next[0];
    }
  };

  // An object of Python that JavaScript can only pass on.
  class PythonObject {
    #name;

    constructor(name) {
      this.#name = name;
    }

    toString() {
      return `[Python ${this.#name}]`;
    }
  }

  const $pyThing = function (number, kind, name) {
    let thing = things.get(number);
    if (thing === undefined) {
      if (kind === "function") {
        thing = function $pyFunction(...given) {
          return $pyRequest("call", number, given);
        };
      } else {
        thing = kind === "iterator" ? $pyIterate(number) : new PythonObject(name);
      }
      things.set(number, thing);
      handles.set(thing, number);
    }
    return thing;
  };

  // --- values ----------------------------------------------------------------------------------

  const $pyPackNumber = function (value) {
    const isPlain = isSafeInteger(value) ? !is(value, -0) : isFinite(value) && !isInteger(value);
    return isPlain ? value : { $: ["f", is(value, -0) ? "-0" : String(value)] };
  };

  const $pyPackAll = function (values, depth) {
    const packed = [];
    for (let index = 0; index < values.length; index++) packed[index] = $pyPack(values[index], depth);
    return packed;
  };

  const $pyPackPairs = function (pairs, depth) {
    const packed = [];
    for (const [key, value] of pairs) packed.push([$pyPack(key, depth), $pyPack(value, depth)]);
    return packed;
  };

  const $pyPackObject = function (value, depth) {
    if (hasOwn(value, "$")) return { $: ["o", $pyPackPairs(Object.entries(value), depth)] };
    const packed = { __proto__: null };
    for (const key of keys(value)) packed[key] = $pyPack(value[key], depth);
    return packed;
  };

  const $pyPackOther = function (value, depth) {
    if (value instanceof Map) return { $: ["m", $pyPackPairs(value, depth)] };
    if (value instanceof Set) return { $: ["s", $pyPackAll([...value], depth)] };
    if (value instanceof Date) return { $: ["d", value.getTime()] };
    if (value instanceof ArrayBuffer) return $pyPackOther(new Uint8Array(value), depth);
    if (value instanceof Uint8Array) {
      let text = "";
      for (const byte of value) text += String.fromCharCode(byte);
      return { $: ["b", text] };
    }
    if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return $pyPackAll(value, depth);
    if (value instanceof Number || value instanceof String || value instanceof Boolean) {
      return $pyPack(value.valueOf(), depth);
    }
    if (typeof value.next === "function") return { $: ["j", $pyKeep(value), "iterator", ""] };
    const name = value.constructor?.name || "without a name";
    throw new TypeError(`an object of class ${name} can't leave JavaScript; use plain data`);
  };

  const $pyPack = function (value, depth) {
    switch (typeof value) {
      case "undefined":
        return null;
      case "boolean":
      case "string":
        return value;
      case "number":
        return $pyPackNumber(value);
      case "bigint":
        return { $: ["n", String(value)] };
      case "symbol":
        throw new TypeError("a symbol can't leave JavaScript; use a string");
    }
    if (value === null) return null;
    if (handles.has(value)) return { $: ["p", handles.get(value)] };
    if (typeof value === "function") {
      return { $: ["j", $pyKeep(value), "function", String(value.name)] };
    }
    if (depth > deepest) {
      throw new RangeError(`a value is nested more than ${deepest} deep, or in itself`);
    }
    if (isArray(value)) return $pyPackAll(value, depth + 1);
    const prototype = getPrototypeOf(value);
    const isPlain = prototype === Object.prototype || prototype === null;
    return isPlain ? $pyPackObject(value, depth + 1) : $pyPackOther(value, depth + 1);
  };

  const revivers = {
    __proto__: null,
    u: function $pyUndefined() {},
    f: Number,
    n: BigInt,
    d: function $pyDate(milliseconds) {
      return new Date(milliseconds);
    },
    o: function $pyObject(pairs) {
      const value = {};
      for (const [key, each] of pairs) {
        const property = { value: each, writable: true, enumerable: true, configurable: true };
        defineProperty(value, key, property);
      }
      return value;
    },
    m: function $pyMap(pairs) {
      return new Map(pairs);
    },
    s: function $pySet(members) {
      return new Set(members);
    },
    b: function $pyBytes(text) {
      const bytes = new Uint8Array(text.length);
      for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
      return bytes;
    },
    j: function $pyKept(number) {
      return kept[number];
    },
    p: $pyThing,
  };

  const $pyUnpack = function (value) {
    if (typeof value !== "object" || value === null) return value;
    if (isArray(value)) {
      for (let index = 0; index < value.length; index++) value[index] = $pyUnpack(value[index]);
    } else if (hasOwn(value, "$")) {
      const [tag, ...parts] = $pyUnpack(value.$);
      return revivers[tag](...parts);
    } else {
      for (const key of keys(value)) value[key] = $pyUnpack(value[key]);
    }
    return value;
  };

  const $pyRead = function (text) {
    const value = parse(text);
    return text.includes('{"$"') ? $pyUnpack(value) : value;
  };

  const $pyWrite = function (value) {
    return stringify($pyPack(value, 0));
  };

  /** Return the JSON of arguments, empty if there are none that can be changed or that cross. */
  const $pyWriteChangeable = function (values) {
    for (const value of values) {
      if (typeof value === "object" && value !== null && !handles.has(value)) {
        try {
          return $pyWrite(values);
        } catch {
          return "";
        }
      }
    }
    return "";
  };

  /** Give `old` the content of `fresh`, of the same type. */
  const $pyMerge = function (old, fresh) {
    if (isArray(old) && isArray(fresh)) {
      for (let index = 0; index < fresh.length; index++) {
        old[index] = index < old.length ? $pyMerged(old[index], fresh[index]) : fresh[index];
      }
      old.length = fresh.length;
    } else if (old instanceof Map && fresh instanceof Map) {
      old.clear();
      for (const [key, value] of fresh) old.set(key, value);
    } else if (old instanceof Set && fresh instanceof Set) {
      old.clear();
      for (const member of fresh) old.add(member);
    } else if (old instanceof Uint8Array && fresh.length === old.length) {
      old.set(fresh);
    } else if (getPrototypeOf(old) === getPrototypeOf(fresh) && !(old instanceof Date)) {
      for (const key of keys(old)) if (!hasOwn(fresh, key)) delete old[key];
      for (const key of keys(fresh)) {
        const value = hasOwn(old, key) ? $pyMerged(old[key], fresh[key]) : fresh[key];
        defineProperty(old, key, { value, writable: true, enumerable: true, configurable: true });
      }
    }
  };

  const $pyMerged = function (old, fresh) {
    const isChangeable = typeof old === "object" && typeof fresh === "object";
    if (!isChangeable || old === null || fresh === null || handles.has(old)) return fresh;
    if (isArray(old) !== isArray(fresh) || getPrototypeOf(old) !== getPrototypeOf(fresh)) return fresh;
    $pyMerge(old, fresh);
    return old;
  };

  // --- errors ----------------------------------------------------------------------------------

  // The exceptions of Python that are there by name, with their bases.
  const bases = {
    ArithmeticError: "Error", AssertionError: "Error", AttributeError: "Error", LookupError: "Error",
    NotImplementedError: "Error", OSError: "Error", RuntimeError: "Error", ValueError: "Error",
    IndexError: "LookupError", KeyError: "LookupError", OverflowError: "ArithmeticError",
    TimeoutError: "OSError", UnicodeError: "ValueError", ZeroDivisionError: "ArithmeticError",
  };
  const known = { __proto__: null, Error, TypeError, RangeError, SyntaxError, ReferenceError };
  for (const [name, base] of Object.entries(bases)) {
    const made = { [name]: class extends known[base] {} }[name];
    const property = { writable: true, configurable: true };
    defineProperty(made.prototype, "name", { value: name, ...property });
    defineProperty(globalThis, name, { value: made, ...property });
    known[name] = made;
  }
  const standIns = { __proto__: null, NameError: ReferenceError, RecursionError: RangeError };
  const origins = new WeakMap(); // of errors that come from Python: number, and names of classes

  const $pyError = function ({ number, names, message }) {
    let made = Error;
    for (const name of names) {
      const found = known[name] ?? standIns[name];
      if (found) {
        made = found;
        break;
      }
    }
    const error = new made(message);
    if (!(names[0] in known)) defineProperty(error, "name", { value: names[0], configurable: true });
    origins.set(error, { number, names });
    return error;
  };

  const $pyNamesOf = function (error) {
    const names = [];
    if (error.name !== error.constructor?.name) names.push(String(error.name));
    for (let one = getPrototypeOf(error); one && one !== Object.prototype; one = getPrototypeOf(one)) {
      if (hasOwn(one, "constructor")) names.push(String(one.constructor.name));
    }
    return names.slice(0, 20);
  };

  const $pyPackError = function (error) {
    const origin = origins.get(error) ?? {};
    try {
      if (!(error instanceof Error)) return { names: [], message: $pyShow(error, 0), stack: "" };
      const [message, stack] = [String(error.message), String(error.stack)];
      return { names: $pyNamesOf(error), message, stack, number: origin.number };
    } catch {
      return { names: ["Error"], message: "its message can't be read", stack: "" };
    }
  };

  const $pyFailed = function (error) {
    return $pyJoin("e", stringify($pyPackError(error)));
  };

  // --- calls -----------------------------------------------------------------------------------

  const $pyRequest = function (kind, number, given) {
    const answer = $pyCall(kind, number, stringify($pyPackAll(given, 0)));
    if (answer === "") throw new Error("the run is over");
    let content = $pyRead(answer.slice(1));
    if (answer[0] === "e") throw $pyError(content);
    if (answer[0] === "w") {
      const [changed, value] = content;
      for (let index = 0; index < given.length; index++) {
        if (typeof given[index] === "object" && given[index] !== null) {
          $pyMerged(given[index], changed[index]);
        }
      }
      content = value;
    }
    return content;
  };

  const pending = []; // promises that were returned

  const $pyAnswer = function (value, given, before) {
    if (before) {
      const after = $pyWriteChangeable(given);
      if (after && after !== before) return $pyJoin("w[", after, ",", $pyWrite(value), "]");
    }
    return $pyJoin("v", $pyWrite(value));
  };

  const $pyInvoke = function (number, text) {
    try {
      const given = $pyRead(text);
      const before = $pyWriteChangeable(given);
      const value = apply(kept[number], undefined, given);
      if (!(value instanceof Promise)) return $pyAnswer(value, given, before);
      const box = { answer: "" };
      const $pyFulfilled = function (result) {
        try {
          box.answer = $pyAnswer(result, given, before);
        } catch (error) {
          box.answer = $pyFailed(error);
        }
      };
      const $pyRejected = function (error) {
        box.answer = $pyFailed(error);
      };
      value.then($pyFulfilled, $pyRejected);
      return $pyJoin("p", pending.push(box) - 1);
    } catch (error) {
      return $pyFailed(error);
    }
  };

  /** Return the answer of a promise that was returned; empty while there is none. */
  const $pySettled = function (number) {
    return pending[number].answer;
  };

  /** Return the next of an iterator: a list of it, empty at the end. */
  const $pyNext = function (number, text) {
    try {
      const [sent] = $pyRead(text);
      const { done, value } = kept[number].next(sent);
      return $pyJoin("v", $pyWrite(done ? [] : [value]));
    } catch (error) {
      return $pyFailed(error);
    }
  };

  /** Return the JSON of any value. */
  const $pyExport = function (value) {
    try {
      return $pyJoin("v", $pyWrite(value));
    } catch (error) {
      return $pyFailed(error);
    }
  };

  const $pyBind = function (name, text) {
    defineProperty(globalThis, name, { value: $pyRead(text), writable: true, configurable: true });
  };

  /** Bind a name that Python looks up each time, because it has no value yet. */
  const $pyBindLater = function (name) {
    const get = function $pyLookUp() {
      return $pyRequest("name", name, []);
    };
    const set = function $pyReplace(value) {
      defineProperty(globalThis, name, { value, writable: true, configurable: true });
    };
    defineProperty(globalThis, name, { get, set, configurable: true });
  };

  const $pySource = function (number) {
    return stringify(Function.prototype.toString.call(kept[number]));
  };

  // --- output ----------------------------------------------------------------------------------

  const mostShown = 100;

  const $pyShowAll = function (values, depth) {
    const shown = [];
    for (const value of values) {
      if (shown.length === mostShown) {
        shown.push("…");
        break;
      }
      shown.push($pyShow(value, depth + 1));
    }
    return shown.join(", ");
  };

  const $pyShowPairs = function (pairs, between, depth) {
    const shown = [];
    for (const [key, value] of pairs) {
      if (shown.length === mostShown) {
        shown.push("…");
        break;
      }
      const name = typeof key === "string" && between === ": " ? key : $pyShow(key, depth + 1);
      shown.push(name + between + $pyShow(value, depth + 1));
    }
    return shown.length ? `{ ${shown.join(", ")} }` : "{}";
  };

  const $pyShow = function (value, depth) {
    if (typeof value === "string") return stringify(value);
    if (typeof value === "bigint") return `${value}n`;
    if (is(value, -0)) return "-0";
    if (typeof value === "function") return `[function ${value.name}]`;
    if (typeof value !== "object" || value === null) return String(value);
    if (depth > 5) return "…";
    if (value instanceof Error) return `${value.name}: ${value.message}`;
    if (value instanceof Date) return isFinite(value.getTime()) ? value.toISOString() : "Invalid Date";
    if (value instanceof RegExp || handles.has(value)) return String(value);
    if (isArray(value)) return `[${$pyShowAll(value, depth)}]`;
    const name = value.constructor?.name ?? "";
    if (value instanceof Set) return `Set {${$pyShowAll(value, depth)}}`;
    if (value instanceof Map) return `Map ${$pyShowPairs(value, " => ", depth)}`;
    if (ArrayBuffer.isView(value)) return `${name} [${$pyShowAll(value, depth)}]`;
    const shown = $pyShowPairs(Object.entries(value), ": ", depth);
    return name === "Object" || name === "" ? shown : `${name} ${shown}`;
  };

  const $pyLog = function (...values) {
    let line = "";
    for (const [index, value] of values.entries()) {
      line += (index ? " " : "") + (typeof value === "string" ? value : $pyShow(value, 0));
    }
    $pyPrint(stringify(line));
  };

  // --- tests -----------------------------------------------------------------------------------

  const $pyEqual = function (one, other, depth) {
    if (is(one, other) || one === other) return true;
    if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
    if (handles.has(one) || handles.has(other)) return false;
    if (depth > deepest) throw new RangeError(`values are nested more than ${deepest} deep`);
    if (getPrototypeOf(one) !== getPrototypeOf(other)) return false;
    if (one instanceof Date) return is(one.getTime(), other.getTime());
    if (one instanceof Map) {
      if (one.size !== other.size) return false;
      for (const [key, value] of one) {
        if (!other.has(key) || !$pyEqual(value, other.get(key), depth + 1)) return false;
      }
      return true;
    }
    if (one instanceof Set) {
      if (one.size !== other.size) return false;
      for (const member of one) if (!other.has(member)) return false;
      return true;
    }
    const names = keys(one);
    if (isArray(one) && one.length !== other.length) return false;
    if (names.length !== keys(other).length) return false;
    for (const name of names) {
      if (!hasOwn(other, name) || !$pyEqual(one[name], other[name], depth + 1)) return false;
    }
    return true;
  };

  const $pyFail = function (message, why) {
    throw new AssertionError(message === undefined ? why : why ? `${message}: ${why}` : String(message));
  };
  const { AssertionError } = known;

  const $pyAssert = function (condition, message) {
    if (!condition) $pyFail(message, message === undefined ? "assertion failed" : "");
  };
  $pyAssert.equal = function $pyAssertEqual(actual, expected, message) {
    if (!$pyEqual(actual, expected, 0)) {
      $pyFail(message, `${$pyShow(actual, 0)} == ${$pyShow(expected, 0)}`);
    }
  };
  $pyAssert.notEqual = function $pyAssertNotEqual(actual, expected, message) {
    if ($pyEqual(actual, expected, 0)) {
      $pyFail(message, `${$pyShow(actual, 0)} != ${$pyShow(expected, 0)}`);
    }
  };
  $pyAssert.close = function $pyAssertClose(actual, expected, tolerance = 1e-9, message = undefined) {
    const isClose = is(actual, expected) || Math.abs(actual - expected) <= tolerance;
    if (!isClose) {
      $pyFail(message, `${$pyShow(actual, 0)} is not within ${tolerance} of ${$pyShow(expected, 0)}`);
    }
  };
  $pyAssert.throws = function $pyAssertThrows(callback, expected, message) {
    let thrown;
    try {
      callback();
    } catch (error) {
      thrown = { error };
    }
    if (!thrown) return $pyFail(message, "nothing was thrown");
    const { error } = thrown;
    const names = origins.get(error)?.names ?? [];
    const isExpected =
      expected === undefined ||
      (expected instanceof RegExp
        ? expected.test(String(error?.message ?? error))
        : error instanceof expected || names.includes(expected.name));
    if (!isExpected) {
      const wanted = expected instanceof RegExp ? String(expected) : expected.name;
      $pyFail(message, `${$pyShow(error, 0)} was thrown, and not ${wanted}`);
    }
    return error;
  };

  const console = {};
  for (const name of ["log", "info", "warn", "error", "debug"]) console[name] = $pyLog;
  const globals = {
    console, log: $pyLog, print: $pyLog, assert: $pyAssert,
    check: $pyAssert,
  };
  for (const [name, value] of Object.entries(globals)) {
    defineProperty(globalThis, name, { value, writable: true, configurable: true });
  }
  defineProperty(Math, "random", { value: $pyRandom, writable: true, configurable: true });
  Error.stackTraceLimit = 50;
  const entries = { $pyInvoke, $pySettled, $pyNext, $pyExport, $pyBind, $pyBindLater, $pySource };
  for (const [name, value] of Object.entries(entries)) {
    defineProperty(globalThis, name, { value, configurable: true });
  }
})();
