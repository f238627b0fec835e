// What the editor knows of each language: its grammar, its indent, and where code names functions.

import { json } from "@codemirror/lang-json";
import { python } from "@codemirror/lang-python";
import { syntaxTree } from "@codemirror/language";
import { tags } from "@lezer/highlight";

const MARKER = /<<([A-Za-z_]\w*)>>/g;
const OLD_MARKER = /\{\{([A-Za-z_]\w*)\}\}/g;
const LINK = new Set(["key", "transform", "link_missing"]);

/** By the name that the server has for them; `findMarkers(state, from, to)` returns `[{name, from, to}]`. */
export const LANGUAGES = {
  python: { title: "Python", grammar: python, indent: "    ", highlights: [], findMarkers: markersInText },
  json: {
    title: "JSON",
    grammar: json,
    indent: "  ",
    highlights: [{ tag: tags.propertyName, class: "nt" }],
    findMarkers: namesInLinks,
  },
};

/** The markers between two places: in comments and strings only, as the server finds them. */
function markersInText(state, from, to) {
  const found = [];
  syntaxTree(state).iterate({
    from,
    to,
    enter({ name, from: start, to: end }) {
      const patterns = name === "Comment" ? [MARKER, OLD_MARKER] : /String$/.test(name) ? [MARKER] : [];
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
