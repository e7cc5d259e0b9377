import type { FindingCode } from '@apprentice/contracts/skills/import-findings.ts'
import type { Findings } from './findings.ts'

const INSTRUCTION_FILE = /\.(?:md|markdown|txt|rst)$/i
export const isInstruction = (path: string): boolean => INSTRUCTION_FILE.test(path)

const RULES: readonly (readonly [FindingCode, RegExp])[] = [
  [
    'PROMPT_INJECTION_PATTERN',
    /\b(?:ignore|disregard|forget|override)\b[^.\n]{0,40}\b(?:previous|prior|above|earlier|system|all other|your)\b[^.\n]{0,30}\b(?:instructions?|rules?|prompts?|directives?|guidelines?)\b/i,
  ],
  [
    'PROMPT_INJECTION_PATTERN',
    /\b(?:do not|don't|never|without)\b[^.\n]{0,30}\b(?:tell(?:ing)?|inform(?:ing)?|mention(?:ing)?|reveal(?:ing)?|notify(?:ing)?|show(?:ing)?)\b[^.\n]{0,20}\b(?:the )?user\b/i,
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
    /\b(?:fetch|download|load|read|open|visit|curl|retrieve)\b[^.\n]{0,60}https?:\/\/\S{1,300}[^.\n]{0,80}\b(?:follow|obey|execute|run|perform|do what)\b/i,
  ],
  [
    'REMOTE_INSTRUCTIONS',
    /\b(?:follow|obey|execute)\b[^.\n]{0,30}\b(?:instructions|steps|commands)\b[^.\n]{0,30}\b(?:at|from|on)\b\s{1,9}<?https?:\/\//i,
  ],
  [
    'MEMORY_WRITE_INSTRUCTION',
    /\b(?:write|save|append|add|store|persist)\b[^.\n]{0,40}\b(?:to|into|in)\b[^.\n]{0,20}(?:\b(?:your|the agent'?s?) (?:long[- ]term )?memory\b|\bMEMORY\.md\b|\bSOUL\.md\b|\bAGENTS\.md\b|\bCLAUDE\.md\b|ELNOR_MEMORY)/i,
  ],
]

const INVISIBLE_CHARACTER = /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\u{e0000}-\u{e007f}]/u
const HIDDEN_MARKUP =
  /<[a-z]+[^>]{0,200}(?:display\s{0,4}:\s{0,4}none|font-size\s{0,4}:\s{0,4}0|visibility\s{0,4}:\s{0,4}hidden|color\s{0,4}:\s{0,4}(?:white|#fff))/i
const COMMENT = /<!--([\s\S]{0,4000}?)-->/g
const IMPERATIVE = /\b(?:must|always|never|ignore|run|execute|send|you (?:are|should|will)|do not)\b/i

/** Finds instructions to an agent that are malicious or invisible to a human reader. */
export function lintInstructions(path: string, text: string, findings: Findings): void {
  const found = new Set<FindingCode>()
  for (const [code, pattern] of RULES) {
    if (found.has(code) || !pattern.test(text)) continue
    found.add(code)
    findings.add(code, { path })
  }
  // A joiner inside an emoji is not hidden text.
  const plain = text.replaceAll(/\p{Extended_Pictographic}(?:\u200d|\ufe0f)+/gu, '')
  if (INVISIBLE_CHARACTER.test(plain.replace(/^\uFEFF/, '')) || HIDDEN_MARKUP.test(text)) {
    findings.add('HIDDEN_TEXT', { path })
  } else if ([...text.matchAll(COMMENT)].some(([, inside = '']) => IMPERATIVE.test(inside))) {
    findings.add('HIDDEN_TEXT', { path, note: 'a comment with instructions' })
  }
}

const FIXED_ACTION =
  /\b(?:click|tap|press|drag)\b[^.\n]{0,40}(?:\(\s{0,4}\d{1,5}\s{0,4},\s{0,4}\d{1,5}\s{0,4}\)|\bat \d{1,5}\s{0,4},\s{0,4}\d{1,5}\b)|\b(?:xpath|css selector|querySelector|resource-id)\b/i

/** Checks the body of SKILL.md. */
export function lintBody(body: string, findings: Findings): void {
  const path = 'SKILL.md'
  if (body.trim() === '') findings.add('SKILL_MD_BODY_EMPTY', { path })
  if (FIXED_ACTION.test(body)) findings.add('RIGID_ACTION_SEQUENCE', { path })
  const blocks = body.matchAll(/```(?:json|yaml|jsonc)?\n([\s\S]*?)```/g)
  if ([...blocks].some(([, inside = '']) => inside.length > 4000)) findings.add('SKILL_MD_PARAM_DUMP', { path })
}
