import type { FindingCode } from '@apprentice/contracts/skills/import-findings.ts'
import type { Findings } from './findings.ts'

const instructed = /\.(?:md|markdown|txt|rst)$/i
export const isInstruction = (path: string): boolean => instructed.test(path)

const rules: readonly (readonly [FindingCode, RegExp])[] = [
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

const invisible = /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\u{e0000}-\u{e007f}]/u
const hiddenMarkup =
  /<[a-z]+[^>]{0,200}(?:display\s{0,4}:\s{0,4}none|font-size\s{0,4}:\s{0,4}0|visibility\s{0,4}:\s{0,4}hidden|color\s{0,4}:\s{0,4}(?:white|#fff))/i
const comment = /<!--([\s\S]{0,4000}?)-->/g
const orders = /\b(?:must|always|never|ignore|run|execute|send|you (?:are|should|will)|do not)\b/i

/** What a text tells an agent to do that a person who reads it would not expect, or not see. */
export function lintInstructions(path: string, text: string, findings: Findings): void {
  const told = new Set<FindingCode>()
  for (const [code, pattern] of rules) {
    if (told.has(code) || !pattern.test(text)) continue
    told.add(code)
    findings.add(code, { path })
  }
  // A sign that joins emoji is no hidden text.
  const plain = text.replaceAll(/\p{Extended_Pictographic}(?:\u200d|\ufe0f)+/gu, '')
  if (invisible.test(plain.replace(/^\uFEFF/, '')) || hiddenMarkup.test(text)) {
    findings.add('HIDDEN_TEXT', { path })
  } else if ([...text.matchAll(comment)].some(([, inside = '']) => orders.test(inside))) {
    findings.add('HIDDEN_TEXT', { path, note: 'a comment that gives orders' })
  }
}

const rigid =
  /\b(?:click|tap|press|drag)\b[^.\n]{0,40}(?:\(\s{0,4}\d{1,5}\s{0,4},\s{0,4}\d{1,5}\s{0,4}\)|\bat \d{1,5}\s{0,4},\s{0,4}\d{1,5}\b)|\b(?:xpath|css selector|querySelector|resource-id)\b/i

/** Only of SKILL.md: what an agent reads whenever the skill is relevant. */
export function lintBody(body: string, findings: Findings): void {
  const path = 'SKILL.md'
  if (body.trim() === '') findings.add('SKILL_MD_BODY_EMPTY', { path })
  if (rigid.test(body)) findings.add('RIGID_ACTION_SEQUENCE', { path })
  const largest = Math.max(
    0,
    ...[...body.matchAll(/```(?:json|yaml|jsonc)?\n([\s\S]*?)```/g)].map(
      ([, inside = '']) => inside.length,
    ),
  )
  if (largest > 4000) findings.add('SKILL_MD_PARAM_DUMP', { path })
}
