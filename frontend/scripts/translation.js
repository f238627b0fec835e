// Texts in the page's language. Pages in English load no catalogue, so texts stay as they are.

const catalogue = window.django ?? {};

export const gettext = catalogue.gettext ?? ((text) => text);

/** Choose between the forms of a text by a number; fills in nothing. */
export const ngettext = catalogue.ngettext ?? ((one, many, number) => (number === 1 ? one : many));

/** Fill in the named places of a text, such as `%(name)s`. */
export function interpolate(text, values) {
  return text.replace(/%\((\w+)\)s/g, (place, name) => (name in values ? String(values[name]) : place));
}

/** Translate sentences that the server keeps in English, such as causes. */
export function recorded(text) {
  const shown = (part) => {
    for (const [pattern, sentence] of catalogue.sentences ?? []) {
      const found = part.match(new RegExp(pattern, "s"));
      if (found) return interpolate(sentence, found.groups ?? {});
    }
    return part;
  };
  return text.split("; ").map(shown).join("; ");
}

/** The language of the page, for numbers and dates. */
export const language = document.documentElement.lang || "en";
