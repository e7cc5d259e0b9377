/** The patterns of each rule. A rule fires if one pattern matches. */
export const EXPRESSIONS = {
  'CKP-001': [
    /\b(?:div|span|tr|td|li|ul|ol|iframe|svg|btn|button|input|elem|element|node|ember|react|mui|ng)-\d+\b/i,
    // Case-sensitive, to tell a selector from prose.
    /\b[a-z][a-z0-9]*(?:#[A-Za-z_][\w-]*|\[[\w-]+\s*[~|^$*]?=[^\]]*\])/,
    /(?:^|[\s"'(])#[A-Za-z_][\w-]*(?=\s*(?:[>+~.:[]|$))/i,
    /(?:^|[\s"'(])\.[A-Za-z]\w*[-_][\w-]+/i,
    /\b(?:div|span|ul|ol|li|tr|td|table|form|nav|section|main|body)\s*>\s*\w+/i,
    /\bquerySelector(?:All)?\b|\bgetElement\w+\b|\bdata-test(?:id)?\b|\baria-[a-z]+\s*=|:nth-[a-z-]+\(/i,
    /<\/?[a-z][a-z0-9-]*(?:\s[^>]*)?>/i,
  ],
  'CKP-002': [
    /\(\s*-?\d{1,5}(?:\.\d+)?\s*,\s*-?\d{1,5}(?:\.\d+)?\s*\)/i,
    /\bx\s*[=:]\s*-?\d+\s*[,; ]\s*y\s*[=:]\s*-?\d+/i,
    /\b\d{1,5}\s*(?:px|pixels?)\b/i,
    /\b(?:at|to|position|coordinates?|point)\s+-?\d{1,5}\s*,\s*-?\d{1,5}\b/i,
  ],
  'CKP-003': [
    /(?<![:\w])\/\/[a-z*@][\w:-]*(?:\[|\/|$)/i,
    /\bAX[A-Z][A-Za-z]+\b/,
    /\b(?:window|pane|child|row|tab|group|cell)\s*\[\d+\]/i,
    /\bhwnd\b|\b0x[0-9a-f]{4,}\b/i,
  ],
  'CKP-004': [
    /^\s*(?:\d+[.)]\s*)?(?:(?:left|right|double|triple|single)[- ]?)?(?:click|tap|press(?!\s+(?:release|office|conference|kit))|type(?!\s+(?:of|is|field|matches))|drag|scroll|hover|swipe)\b/i,
    /\b(?:click|tap|press|type|drag)\b[^.]{0,80}\b(?:then|next|and then)\b[^.]{0,80}\b(?:click|tap|press|type|drag|choose|select)\b/i,
    /(?:\b(?:cmd|command|ctrl|control|alt|opt|option|shift|meta)|[⌘⌃⌥⇧])\s*\+\s*\w+/i,
  ],
  'CKP-005': [
    /\b(?:wait|sleep|pause|delay)\w*\b.{0,20}?\b\d+\s*(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?)\b/i,
    /\bafter\s+\d+\s*(?:ms|milliseconds?|s|secs?|seconds?)\b/i,
  ],
  'CKP-008': [
    /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/i,
    /\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{12,}\b/i,
    /(?:\/Users\/|\/home\/|\/private\/|\/var\/folders\/|\/tmp\/|[A-Z]:\\)/,
    /\b1[5-9]\d{8}(?:\d{3})?\b/i,
    /\b(?:pid|port)\s*[=:]?\s*\d{2,}\b/i,
  ],
  'CKP-009': [
    /(?<![\w.+-])[\w.+-]+@[\w-]+\.[\w.-]+\b/i,
    /\b(?:sk|pk|ghp|gho|xox[abpr])[-_][A-Za-z0-9_-]{10,}|\bAKIA[0-9A-Z]{12,}|\bBearer\s+\S{8,}|\beyJ[\w-]{10,}/,
    /\b(?:password|passwd|secret|token|api[_ -]?key)\s*[=:]\s*\S+/i,
    /\b\d{3}-\d{2}-\d{4}\b/i,
    /\b(?:\d[ -]?){13,16}\b/i,
  ],
  'CKP-010': [
    /`|\$\(|&&|\|\||;\s*$/i,
    /\b(?:osascript|applescript|tell application|powershell|curl|wget|sudo|chmod)\b|\brm\s+-/i,
    /"(?:nodes|edges|node_id|graph_id)"\s*:/i,
  ],
  'CKP-014': [/\b(?:should|probably|maybe|hopefully|likely|try to|attempt to|if possible)\b/i],
} as const satisfies Record<string, readonly RegExp[]>

export type ExpressionRule = keyof typeof EXPRESSIONS

/** The match of the first pattern of a rule that matches. */
export function findFirstMatch(rule: ExpressionRule, text: string): RegExpExecArray | undefined {
  for (const expression of EXPRESSIONS[rule]) {
    const match = expression.exec(text)
    if (match !== null) return match
  }
  return undefined
}

/** Masks secrets and personal data, so that a lint report does not repeat them. */
export const maskSecrets = (text: string): string =>
  EXPRESSIONS['CKP-009'].reduce(
    (masked, { source, flags }) => masked.replaceAll(new RegExp(source, `${flags}g`), '•••'),
    text,
  )
