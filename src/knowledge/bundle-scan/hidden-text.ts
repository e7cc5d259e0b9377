const INVISIBLE_CHARACTER = /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\u{e0000}-\u{e007f}]/u

/** Invisible characters that belong to writing: in emoji, in flags, and between letters of scripts that join them. */
const ORDINARY_INVISIBLE =
  /\p{Extended_Pictographic}(?:\u200d|\ufe0f){1,4}|\u{1f3f4}[\u{e0020}-\u{e007f}]{2,8}|(?<=[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Kannada}\p{Script=Telugu}\p{Script=Khmer}])[\u200c\u200d]|[\u200e\u200f](?=\s?[\p{Script=Arabic}\p{Script=Hebrew}])|(?<=[\p{Script=Arabic}\p{Script=Hebrew}.,:;!?)]\s?)[\u200e\u200f]/gu

const HIDDEN_MARKUP =
  /<[a-z]+[^>]{0,200}(?:display\s{0,4}:\s{0,4}none|font-size\s{0,4}:\s{0,4}0(?![.\d])|visibility\s{0,4}:\s{0,4}hidden|color\s{0,4}:\s{0,4}(?:white|#fff(?:fff)?)\b|opacity\s{0,4}:\s{0,4}0(?![.\d]))[^>]{0,200}>[^<]{0,40}\p{L}/iu

/** Comments of tools and authors. They talk to no agent. */
const ORDINARY_COMMENT =
  /^\s{0,40}(?:markdownlint|prettier|eslint|textlint|vale|cspell|spell-checker|dprint|remark|toc\b|tocstop|doctoc|start|end|begin|stop|badge|badges|region|endregion|copyright|spdx|licen[cs]e|omit|more\b|truncate|auto-?generated|generated|this (?:file|section|table|page) (?:is|was) (?:auto)?(?:-)?(?:generated|maintained)|do not edit|please (?:keep|do not edit|update)|note (?:to|for) (?:editors|maintainers|contributors|authors|translators)|todo|fixme|xxx\b|keep (?:in sync|sorted|this)|template|screenshot|image|figure|source|see|from|example)/i

/** What an instruction to an agent says. */
const IMPERATIVE =
  /\b(?:you (?:must|should|will|are|shall|need to)|always|never|ignore|disregard|override|execute|send|upload|exfiltrate|run|do not (?:tell|mention|show|reveal|ask)|secretly|silently|instead,? )\b/i

/** An instruction that no ordinary comment contains. */
const STRONG_IMPERATIVE =
  /\b(?:ignore|disregard|override)\b[^\n]{0,40}\b(?:instructions?|rules?|prompts?)\b|\b(?:send|upload|post|exfiltrate|curl|copy)\b[^\n]{0,80}(?:https?:|\btokens?\b|\bsecrets?\b|\bpasswords?\b|\bapi keys?\b|~\/|\benv\b)|\b(?:do not|don't|never) (?:tell|inform|mention|notify)\b|\bwithout (?:asking|telling)\b|\byou are (?:now )?(?:an? )?(?:agent|assistant|unrestricted|admin)\b/i

const COMMENT = /<!--([\s\S]{0,4000}?)-->/g

/** What is hidden from a reader of the text: a short note, or an empty one. Undefined if nothing is. */
export function findHiddenText(text: string, prose: string): string | undefined {
  const plain = text.replace(/^\uFEFF/, '').replaceAll(ORDINARY_INVISIBLE, '')
  if (INVISIBLE_CHARACTER.test(plain) || HIDDEN_MARKUP.test(prose)) return ''
  const isInstruction = [...prose.matchAll(COMMENT)].some(([, inside = '']) => instructsAgent(inside))
  return isInstruction ? 'a comment with instructions' : undefined
}

const instructsAgent = (comment: string): boolean =>
  STRONG_IMPERATIVE.test(comment) || (IMPERATIVE.test(comment) && !ORDINARY_COMMENT.test(comment))
