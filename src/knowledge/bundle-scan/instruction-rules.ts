import type { FindingCode } from '@apprentice/contracts/skills/import-findings.ts'
import { splitCode } from '../markdown/code-blocks.ts'
import { countLines, type Findings } from './findings.ts'
import { findHiddenText } from './hidden-text.ts'

const INSTRUCTION_FILE = /\.(?:md|markdown|txt|rst)$/i
export const isInstruction = (path: string): boolean => INSTRUCTION_FILE.test(path)

/** Rules for one sentence of prose. */
const SENTENCE_RULES: readonly (readonly [FindingCode, RegExp])[] = [
  [
    'PROMPT_INJECTION_PATTERN',
    /\b(?:ignore|disregard|forget|override)\b[^.\n]{0,40}\b(?:previous|prior|above|earlier|system|all other|your)\b[^.\n]{0,30}\b(?:instructions?|rules?|prompts?|directives?|guidelines?)\b/i,
  ],
  [
    'PROMPT_INJECTION_PATTERN',
    /\b(?:do not|don't|never|without)\b[^.\n]{0,20}\b(?:tell(?:ing)?|inform(?:ing)?|notify(?:ing)?|alert(?:ing)?) (?:the |your )?(?:user|human|owner|operator)s?\b(?!'s| to\b)/i,
  ],
  [
    'PROMPT_INJECTION_PATTERN',
    /\b(?:do not|don't|never)\b[^.\n]{0,20}\b(?:mention|reveal|disclose|show|report) (?:this|it|that|these|them|any of (?:this|these))\b[^.\n]{0,30}\b(?:to )?(?:the |your )?(?:user|human|owner|operator|reviewer)s?\b/i,
  ],
  [
    'PROMPT_INJECTION_PATTERN',
    /\b(?:disable|bypass|skip|turn off|circumvent)\b[^.\n]{0,30}\b(?:approvals?|confirmations?|safety|safeguards?|permission checks?|guardrails?|review step)\b/i,
  ],
  [
    'PROMPT_INJECTION_PATTERN',
    /\b(?:you are now|act as if you (?:are|were)|pretend (?:to be|you are)) (?:an? )?(?:unrestricted|jailbroken|root|admin|developer mode)/i,
  ],
  [
    'PROMPT_INJECTION_PATTERN',
    /<\/?(?:system|assistant|tool_result|function_calls)>|\[\/?INST\]|<\|im_(?:start|end)\|>/i,
  ],
  [
    'REMOTE_INSTRUCTIONS',
    /\b(?:fetch|download|load|read|open|visit|curl|retrieve)\b[^\n]{0,60}https?:\/\/\S{1,300}[^\n]{0,60}\b(?:follow|obey|execute|perform|do what|carry out)\b[^\n]{0,40}\b(?:instructions?|steps?|commands?|directions|rules|it|they|there|says?|prompt)\b/i,
  ],
  [
    'REMOTE_INSTRUCTIONS',
    /\b(?:follow|obey|execute|carry out)\b[^.\n]{0,30}\b(?:instructions|steps|commands|directions)\b[^.\n]{0,40}\b(?:at|from|on|in)\b\s{1,9}[<"(]?https?:\/\//i,
  ],
  [
    'MEMORY_WRITE_INSTRUCTION',
    /\b(?:write|save|append|add|store|persist|put|copy)\b[^.\n]{0,50}\b(?:to|into|in)\b[^.\n]{0,20}(?:\b(?:your|the agent'?s?) (?:own |long[- ]term |permanent )?memory\b|\bMEMORY\.md\b|\bSOUL\.md\b|(?:your |~\/[\w./-]{0,40})(?:AGENTS|CLAUDE)\.md\b|ELNOR_MEMORY)/i,
  ],
]

/** A sentence that forbids what the rule looks for. */
const NEGATED =
  /\b(?:do not|don't|does not|must not|may not|should not|cannot|can't|never|no skill may|refuse to|instead of|rather than|not allowed to|without ever)\b(?![^.\n]{0,20}\b(?:tell|inform|notify|alert|mention|reveal|disclose|show|report)\b)/i

/** A sentence about attacks. What it quotes is an example. */
const WARNING =
  /\b(?:injections?|attacks?|attackers?|malicious|untrusted|suspicious|hostile|phishing|jailbreaks?|such as|for example|e\.g\.|like|if (?:a|an|the|any|some)\b[^.\n]{0,40}\b(?:says?|asks?|contains?|tells?|claims?|instructs?|reads?)|treat|beware|warn(?:s|ing)?|red flags?|refuse|reject|report it|detect(?:s|ed|ion)?|flag(?:s|ged)?|text(?:s)? that (?:says?|tells?))\b/i

/** A condition under which telling somebody would be too early. */
const TOO_EARLY = /\b(?:before|until|unless|yet|too early|prematurely)\b/i

const QUOTED = /"[^"\n]{1,200}"|“[^”\n]{1,200}”|«[^»\n]{1,200}»|(?<=\s)'[^'\n]{1,200}'(?=[\s.,;:!?)])/g

/** Finds instructions to an agent that are malicious or invisible to a human reader. */
export function lintInstructions(path: string, text: string, findings: Findings): void {
  const { prose } = splitCode(text)
  const found = new Map<FindingCode, number>()
  for (const { sentence, line } of splitSentences(prose)) {
    for (const [code, pattern] of SENTENCE_RULES) {
      if (!found.has(code) && breaksRule(sentence, pattern)) found.set(code, line)
    }
  }
  for (const [code, line] of found) findings.add(code, { path, line })
  const hidden = findHiddenText(text, prose)
  if (hidden !== undefined) findings.add('HIDDEN_TEXT', { path, ...(hidden === '' ? {} : { note: hidden }) })
}

/** The sentences, with the line on which each begins. */
function splitSentences(prose: string): { readonly sentence: string; readonly line: number }[] {
  let [from, line] = [0, 1]
  return prose.split(/\n\s*\n|(?<=[.!?])\s+(?=\p{Lu}|["“«])|\n(?=\s*(?:[-*+>#|]|\d+[.)]))/u).map((one) => {
    const at = prose.indexOf(one, from)
    line += countLines(prose.slice(from, at), at) - 1
    const start = line + countLines(one, one.length - one.trimStart().length) - 1
    from = at
    return { sentence: one.replaceAll('\n', ' '), line: start }
  })
}

/** A quoted example in a warning, and a sentence that forbids the thing itself, break no rule. */
function breaksRule(sentence: string, pattern: RegExp): boolean {
  const at = pattern.exec(sentence)?.index
  if (at === undefined) return false
  if (WARNING.test(sentence) && !pattern.test(sentence.replaceAll(QUOTED, ' '))) return false
  if (NEGATED.test(sentence.slice(Math.max(0, at - 60), at))) return false
  return !(TOO_EARLY.test(sentence.slice(at)) && /\b(?:tell|inform|notify|alert)/i.test(sentence.slice(at, at + 60)))
}

/** An action on a fixed place or on a node that is named by code. A selector that is only mentioned is no action. */
const FIXED_ACTION =
  /\b(?:click|tap|press|drag|swipe|type into|select|long[- ]press)\b[^.\n]{0,40}(?:\(\s{0,4}\d{1,5}\s{0,4},\s{0,4}\d{1,5}\s{0,4}\)|\bat \d{1,5}\s{0,4},\s{0,4}\d{1,5}\b|\bx\s{0,2}=\s{0,2}\d{1,5})|\b(?:click|tap|press|drag|select|fill|type into|long[- ]press)\b[^.\n]{0,50}(?:\b(?:xpath|css selector|resource-id|data-testid)\b|`(?:#|\.|\/\/|\[)[\w[-][^`\n]{1,80}`)|querySelector(?:All)?\([^)\n]{1,120}\)\s{0,4}\.(?:click|value|dispatchEvent|focus)\b/i

const MAX_BLOCK = 4000
const isDataLanguage = (language: string): boolean => /^(?:json[c5]?|ya?ml|toml)?$/i.test(language)

/** Checks the body of SKILL.md. */
export function lintBody(body: string, findings: Findings): void {
  const path = 'SKILL.md'
  if (body.trim() === '') findings.add('SKILL_MD_BODY_EMPTY', { path })
  if (FIXED_ACTION.test(body)) findings.add('RIGID_ACTION_SEQUENCE', { path })
  const { blocks } = splitCode(body)
  const isDump = blocks.some(({ language, text }) => isDataLanguage(language) && text.length > MAX_BLOCK)
  if (isDump) findings.add('SKILL_MD_PARAM_DUMP', { path })
}
