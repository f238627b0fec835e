// Reads Jinja2 templates of HTML for highlighting, line by line.

const ENDS = { comment: "#}", statement: "%}", expression: "}}", remark: "-->" };
const BEGINNINGS = [["{#", "comment"], ["{%", "statement"], ["{{", "expression"], ["<!--", "remark"]];
const WORDS = /^(?:and|as|autoescape|block|break|call|continue|do|el(?:if|se)|end\w+|false|filter|for|if|in|is|macro|none|not|or|raw|recursive|set|true|with)$/;

/** A language for `StreamLanguage`; `within` is what is open. */
export const readTemplate = {
  name: "jinja",
  startState: () => ({ within: "", tag: false }),
  token(stream, state) {
    if (state.within === "comment" || state.within === "remark") return readComment(stream, state);
    if (state.within) return readCode(stream, state);
    for (const [beginning, kind] of BEGINNINGS) {
      if (stream.match(beginning)) {
        state.within = kind;
        return kind === "comment" || kind === "remark" ? "comment" : "keyword";
      }
    }
    return readMarkup(stream, state);
  },
  languageData: { commentTokens: { block: { open: "{#", close: "#}" } } },
};

function readComment(stream, state) {
  const end = ENDS[state.within];
  if (stream.skipTo(end)) {
    stream.match(end);
    state.within = "";
  } else stream.skipToEnd();
  return "comment";
}

function readCode(stream, state) {
  if (stream.eatSpace()) return null;
  if (stream.match(ENDS[state.within])) {
    state.within = "";
    return "keyword";
  }
  if (stream.match(/^(?:"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)/)) return "string";
  if (stream.match(/^\d[\d.]*/)) return "number";
  const word = stream.match(/^[A-Za-z_]\w*/);
  if (word) return WORDS.test(word[0]) ? "keyword" : "variableName";
  stream.next();
  return null;
}

function readMarkup(stream, state) {
  if (stream.match(/^<\/?[A-Za-z][\w-]*/)) {
    state.tag = true;
    return "tagName";
  }
  if (state.tag && stream.match(/^\/?>/)) {
    state.tag = false;
    return "tagName";
  }
  if (state.tag && stream.match(/^"[^"{]*"?/)) return "string";
  stream.next();
  stream.match(/^[^<>{"]+/);
  return null;
}
