import type { LintFinding } from '@apprentice/contracts/learn/validation.ts'
import { type ExpressionRule, firstHit, withoutSecrets } from './expressions.ts'

/** A string that a skill is judged by, and where it stands. */
export interface Statement {
  readonly text: string
  readonly field: string
  readonly checkpoint_id?: string | undefined
}

const messages: Readonly<Record<ExpressionRule, string>> = {
  'CKP-001': 'Names a selector or markup; say what can be seen instead.',
  'CKP-002': 'Names a place in pixels; say what can be seen instead.',
  'CKP-003': 'Names a path into a tree or a handle; say what can be seen instead.',
  'CKP-004': 'Tells what to do; a checkpoint tells the state that is reached.',
  'CKP-005': 'Time that passes proves nothing; say what can be seen then.',
  'CKP-008': 'Holds a value that will be another one next time.',
  'CKP-009': 'Holds a secret or personal data.',
  'CKP-010': 'Holds code.',
  'CKP-014': 'Hedges; say what is so.',
}

// Object.entries loses the key type; the table above has exactly these keys.
const rules = Object.entries(messages) as [ExpressionRule, string][]

export function lintStatement(statement: Statement): LintFinding[] {
  const { text } = statement
  const shaped = rules.flatMap(([code, message]) => {
    if (firstHit(code, text) === undefined) return []
    return [
      finding(statement, { code, severity: code === 'CKP-014' ? 'warning' : 'error', message }),
    ]
  })
  const vague = isVague(text)
    ? [
        finding(statement, {
          code: 'CKP-006',
          severity: 'error',
          message: 'Says nothing that could be looked for.',
        }),
      ]
    : []
  return [...shaped, ...vague].toSorted((a, b) => (a.code < b.code ? -1 : 1))
}

interface Verdict {
  readonly code: string
  readonly severity: LintFinding['severity']
  readonly message: string
}

export function finding(
  { text, field, checkpoint_id }: Statement,
  { code, severity, message }: Verdict,
): LintFinding {
  const shown = withoutSecrets(text)
  return {
    code,
    severity,
    ...(checkpoint_id === undefined ? {} : { checkpoint_id: checkpoint_id.slice(0, 80) }),
    field,
    message,
    excerpt: shown.length > 120 ? `${shown.slice(0, 119)}…` : shown,
  }
}

const vagueWords = new Set([
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
  const said = normalised(text)
  return text.trim().length < 8 || said.split(' ').length < 2 || vagueWords.has(said)
}

/** Two strings that say the same have the same normal form. */
export const normalised = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/[.!]+$/, '')
    .trim()
    .replaceAll(/\s+/g, ' ')
