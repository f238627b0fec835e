// What the editor knows of each language: its grammar, its indent, and where code names functions.

import { javascript } from "@codemirror/lang-javascript";
import { json } from "@codemirror/lang-json";
import { python } from "@codemirror/lang-python";
import { StreamLanguage, syntaxTree } from "@codemirror/language";
import { tags } from "@lezer/highlight";
import { readTemplate } from "./template.js";

const MARKER = /<<([A-Za-z_]\w*)>>/g;
const OLD_MARKER = /\{\{([A-Za-z_]\w*)\}\}/g;
const LINK = new Set(["key", "transform", "link_missing"]);
const BINDING = new Set(["FunctionDefinition", "ClassDefinition", "ParamList", "ImportStatement"]);

/**
 * By the name that the server has for them; `findMarkers(state, from, to)` returns `[{name, from, to}]`,
 * and `findUses(state, from, to, isKnown)` the same of names that the code uses, if it is known that it may.
 */
export const LANGUAGES = {
  python: { title: "Python", grammar: python, indent: "    ", highlights: [], findMarkers: markersInText, findUses: usesInCode },
  javascript: {
    title: "JavaScript",
    grammar: javascript,
    indent: "  ",
    highlights: [{ tag: tags.regexp, class: "s" }],
    findMarkers: markersInText,
    findUses: usesInCode,
  },
  json: {
    title: "JSON",
    grammar: json,
    indent: "  ",
    highlights: [{ tag: tags.propertyName, class: "nt" }],
    findMarkers: namesInLinks,
  },
  jinja: {
    title: "Jinja2",
    grammar: () => StreamLanguage.define(readTemplate),
    indent: "  ",
    highlights: [{ tag: tags.tagName, class: "nt" }],
    findMarkers: markersInTemplate,
    findUses: usesInTemplate,
  },
};

/** The markers between two places: in comments and strings only, as the server finds them. */
function markersInText(state, from, to) {
  const found = [];
  syntaxTree(state).iterate({
    from,
    to,
    enter({ name, from: start, to: end }) {
      const patterns = /Comment$/.test(name) ? [MARKER, OLD_MARKER] : /String$/.test(name) ? [MARKER] : [];
      const text = patterns.length ? state.sliceDoc(start, end) : "";
      for (const pattern of patterns) {
        for (const match of text.matchAll(pattern)) {
          const at = start + match.index;
          found.push({ name: match[1], from: at, to: at + match[0].length });
        }
      }
      return patterns.length === 0;
    },
  });
  return found.sort((a, b) => a.from - b.from);
}

/** The names that code uses, not as a parameter, a keyword, an attribute, or what it defines. */
function usesInCode(state, from, to, isKnown) {
  const found = [];
  syntaxTree(state).iterate({
    from,
    to,
    enter({ name: kind, from: start, to: end, node }) {
      if (kind !== "VariableName") return;
      const name = state.sliceDoc(start, end);
      const isKeyword = node.parent.name === "ArgList" && node.nextSibling?.name === "AssignOp";
      if (!isKnown(name) || isKeyword || BINDING.has(node.parent.name) || isHidden(state, node, name)) return;
      found.push({ name, from: start, to: end, isUse: true });
    },
  });
  return found;
}

/** Whether a function around a name has a parameter of this name. */
function isHidden(state, node, name) {
  for (let around = node.parent; around; around = around.parent) {
    const parameters = around.getChild("ParamList")?.getChildren("VariableName") ?? [];
    if (parameters.some(({ from, to }) => state.sliceDoc(from, to) === name)) return true;
  }
  return false;
}

/** The markers in comments of a template. */
function markersInTemplate(state, from, to) {
  const found = [];
  for (const comment of state.doc.toString().matchAll(/\{#[^]*?#\}/g)) {
    for (const match of comment[0].matchAll(MARKER)) {
      const at = comment.index + match.index;
      if (at >= from && at < to) found.push({ name: match[1], from: at, to: at + match[0].length });
    }
  }
  return found;
}

/** The names that statements and expressions of a template use, not as an attribute. */
function usesInTemplate(state, from, to, isKnown) {
  const found = [];
  syntaxTree(state).iterate({
    from,
    to,
    enter({ name: kind, from: start, to: end }) {
      const name = kind === "variableName" ? state.sliceDoc(start, end) : "";
      if (name && isKnown(name) && state.sliceDoc(start - 1, start) !== ".") {
        found.push({ name, from: start, to: end, isUse: true });
      }
    },
  });
  return found;
}

/** The names in objects that are links: `{"key": "Other", "transform": "Fn"}`. */
function namesInLinks(state, from, to) {
  const found = [];
  syntaxTree(state).iterate({
    from,
    to,
    enter({ name, node }) {
      if (name !== "Object") return;
      const members = new Map(node.getChildren("Property").map((each) => memberOf(state, each)));
      if (!members.get("key") || ![...members.keys()].every((each) => LINK.has(each))) return;
      for (const member of ["key", "transform"]) {
        const text = members.get(member);
        if (text) found.push({ name: parsed(state.sliceDoc(text.from, text.to)), from: text.from, to: text.to });
      }
    },
  });
  return found.filter(({ name }) => /^[A-Za-z_]\w*$/.test(name)).sort((a, b) => a.from - b.from);
}

function memberOf(state, property) {
  const name = property.getChild("PropertyName");
  return [name ? parsed(state.sliceDoc(name.from, name.to)) : "", property.getChild("String")];
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return "";
  }
}
