import type { LintFinding } from '@apprentice/contracts/learn/validation.ts'
import { type ExpressionRule, findFirstMatch, maskSecrets } from './expressions.ts'

/** A text to lint and its location. */
export interface Statement {
  readonly text: string
  readonly field: string
  readonly checkpoint_id?: string | undefined
}

const MESSAGES: Readonly<Record<ExpressionRule, string>> = {
  'CKP-001': 'Contains a selector or markup; describe what is visible instead.',
  'CKP-002': 'Contains pixel coordinates; describe what is visible instead.',
  'CKP-003': 'Contains a tree path or a handle; describe what is visible instead.',
  'CKP-004': 'Describes an action; a checkpoint describes the state that is reached.',
  'CKP-005': 'Contains a waiting time; describe what is visible afterwards instead.',
  'CKP-008': 'Contains a value that differs each time.',
  'CKP-009': 'Contains a secret or personal data.',
  'CKP-010': 'Contains code.',
  'CKP-014': 'Is uncertain; state a definite condition.',
}

// Object.entries loses the key type; the table above has exactly these keys.
const rules = Object.entries(MESSAGES) as [ExpressionRule, string][]

export function lintStatement(statement: Statement): LintFinding[] {
  const { text } = statement
  const matched = rules.flatMap(([code, message]) => {
    if (findFirstMatch(code, text) === undefined) return []
    return [toFinding(statement, { code, severity: code === 'CKP-014' ? 'warning' : 'error', message })]
  })
  const vague = isVague(text)
    ? [
        toFinding(statement, {
          code: 'CKP-006',
          severity: 'error',
          message: 'Is too vague to verify.',
        }),
      ]
    : []
  return [...matched, ...vague].toSorted((a, b) => (a.code < b.code ? -1 : 1))
}

interface Verdict {
  readonly code: string
  readonly severity: LintFinding['severity']
  readonly message: string
}

export function toFinding(
  { text, field, checkpoint_id }: Statement,
  { code, severity, message }: Verdict,
): LintFinding {
  const masked = maskSecrets(text)
  return {
    code,
    severity,
    ...(checkpoint_id === undefined ? {} : { checkpoint_id: checkpoint_id.slice(0, 80) }),
    field,
    message,
    excerpt: masked.length > 120 ? `${masked.slice(0, 119)}…` : masked,
  }
}

const VAGUE_PHRASES = new Set([
  'done',
  'ok',
  'okay',
  'success',
  'successful',
  'works',
  'it works',
  'complete',
  'completed',
  'finished',
  'task complete',
  'task done',
  'all good',
  'everything is fine',
  'no errors',
  'no error',
  'step complete',
  'as expected',
])

function isVague(text: string): boolean {
  const normalized = normalizeText(text)
  return text.trim().length < 8 || normalized.split(' ').length < 2 || VAGUE_PHRASES.has(normalized)
}

/** Removes differences in case, spacing and final punctuation. */
export const normalizeText = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/(?<![.!])[.!]+$/, '')
    .trim()
    .replaceAll(/\s+/g, ' ')
