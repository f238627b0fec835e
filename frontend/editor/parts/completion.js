// Completion: functions of the site, names imported from them, helpers, modules, and Python's own.

import { autocompletion, completeFromList } from "@codemirror/autocomplete";
import { localCompletionSource as javascriptNames, snippets as javascriptSnippets } from "@codemirror/lang-javascript";
import { globalCompletion, localCompletionSource } from "@codemirror/lang-python";
import { syntaxTree } from "@codemirror/language";
import { gettext, interpolate } from "../../scripts/translation.js";

const IMPORT = /^\s*(?:from|import)\s+[\w.]*$/;
const SHORTEST = 3; // characters of a word for which functions are looked up
const STATUS = {
  blocked: gettext("Status: broken dependency."),
  not_implemented: gettext("Status: not implemented."),
};
const KINDS = { class: "class", value: "variable", function: "function" };

// What the languages complete themselves.
const OWN = {
  python: [localCompletionSource, globalCompletion],
  javascript: [javascriptNames, completeFromList(javascriptSnippets)],
};

/**
 * `findFunctions(start)` resolves to functions as the API lists them; `names()` returns the names
 * that the code gets from marked functions; `known` has `modules` and `helpers`.
 */
export function completion({ findFunctions, names, known, language }) {
  const functions = cached(findFunctions);
  if (language === "json") return autocompletion({ override: [namesInLinks(functions)] });
  if (language === "jinja") {
    return autocompletion({ override: [markedNames(functions), usableNames(names)] });
  }
  const modules = known.modules.map((label) => ({ label, type: "namespace" }));
  return autocompletion({
    override: [
      markedNames(functions),
      inCode(importable(modules)),
      inCode(usableNames(() => [...names(), ...known.helpers])),
      inCode(otherFunctions(functions, names)),
      ...OWN[language].map(inCode),
    ],
  });
}

/** Remember the last answers, as several sources ask for the same. */
function cached(find) {
  const answers = new Map();
  return (start) => {
    if (answers.size > 50) answers.clear();
    if (!answers.has(start)) answers.set(start, find(start));
    return answers.get(start);
  };
}

/** A source that is silent in comments and strings. */
function inCode(source) {
  return (context) => {
    const { name } = syntaxTree(context.state).resolveInner(context.pos, -1);
    return /Comment|String/.test(name) ? null : source(context);
  };
}

const lineBefore = ({ state, pos }) => state.sliceDoc(state.doc.lineAt(pos).from, pos);

/** A word to complete that is neither an attribute nor part of an import. */
function wordBefore(context) {
  const word = context.matchBefore(/[A-Za-z_]\w*/);
  if (!word && !context.explicit) return null;
  const from = word?.from ?? context.pos;
  if (context.state.sliceDoc(from - 1, from) === "." || IMPORT.test(lineBefore(context))) return null;
  return { from, text: word?.text ?? "" };
}

/** Functions after `<<` in a comment or a string. */
function markedNames(functions) {
  return async (context) => {
    const typed = context.matchBefore(/<<\w*/);
    if (!typed || context.aborted) return null;
    const found = await functions(typed.text.slice(2));
    const closed = context.state.sliceDoc(context.pos, context.pos + 2) === ">>";
    const apply = (name) => (closed ? name : `${name}>>`);
    return {
      from: typed.from + 2,
      options: found.map((one) => ({ ...optionOf(one), apply: apply(one.name) })),
      validFor: /^\w*$/,
    };
  };
}

/** Documents in `"key": "..."`, and functions in `"transform": "..."`. */
function namesInLinks(functions) {
  return async (context) => {
    const typed = context.matchBefore(/"(?:key|transform)"\s*:\s*"\w*/);
    if (!typed || context.aborted) return null;
    const start = /\w*$/.exec(typed.text)[0];
    const kind = typed.text.startsWith('"key"') ? "document" : "function";
    const found = (await functions(start)).filter((one) => one.kind === kind);
    const quote = context.state.sliceDoc(context.pos, context.pos + 1) === '"' ? "" : '"';
    return {
      from: context.pos - start.length,
      options: found.map((one) => ({ ...optionOf(one), apply: one.name + quote })),
      validFor: /^\w*$/,
    };
  };
}

function importable(modules) {
  return (context) => {
    const typed = context.matchBefore(/[\w.]*/);
    if (!typed || !IMPORT.test(lineBefore(context))) return null;
    return { from: typed.from, options: modules, validFor: /^[\w.]*$/ };
  };
}

function usableNames(names) {
  return (context) => {
    const word = wordBefore(context);
    if (!word) return null;
    const options = names().map(({ name, kind, signature, summary, provider }) => ({
      label: name,
      type: KINDS[kind] ?? "function",
      detail: signature.slice(name.length),
      info: [summary, provider && interpolate(gettext("From <<%(provider)s>>."), { provider })].filter(Boolean).join(" ") || undefined,
      boost: 2,
    }));
    return { from: word.from, options, validFor: /^\w*$/ };
  };
}

/** Functions that the code doesn't mark yet; choosing one marks it in a comment. */
function otherFunctions(functions, names) {
  return async (context) => {
    const word = wordBefore(context);
    if (!word || word.text.length < SHORTEST) return null;
    const found = await functions(word.text);
    const usable = new Set(names().map(({ name }) => name));
    const options = found
      .filter(({ name }) => !usable.has(name))
      .map((one) => ({ ...optionOf(one), apply: importing(one.name), boost: -1 }));
    return options.length ? { from: word.from, options, validFor: /^\w*$/ } : null;
  };
}

function importing(name) {
  return (view, completion, from, to) => {
    const isMarked = view.state.doc.toString().includes(`<<${name}>>`);
    const changes = [{ from, to, insert: name }];
    if (!isMarked) changes.unshift({ from: 0, insert: `# <<${name}>>\n` });
    const shift = isMarked ? 0 : name.length + 7;
    view.dispatch({
      changes,
      selection: { anchor: from + name.length + shift },
      userEvent: "input.complete",
    });
  };
}

function optionOf({ name, signature, status }) {
  const info = STATUS[status];
  return { label: name, type: "function", detail: `${signature}${info ? " ◌" : ""}`, info };
}
