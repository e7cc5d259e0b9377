import { matchWhole } from './pattern-match.ts'

export type TextValidator =
  | { readonly validator: 'temperature' | 'version' }
  | { readonly validator: 'regex'; readonly validatorPattern: string }

export type TextVerdict =
  | { readonly ok: true; readonly text: string }
  | {
      readonly ok: false
      readonly error: 'VALIDATOR_MISMATCH' | 'INVALID_REGEX_PATTERN'
      readonly raw_text: string
      readonly message: string
    }

/** A number with an optional degree sign and unit. */
const TEMPERATURE = /^[+\-\u2212]?\d+(?:[.,]\d+)?\s*(?:[\u00b0\u00ba]?\s*[CF]?|\u2103|\u2109)$/i
const VERSION = /^\d+(\.\d+)*$/

/** Validates a text read from the screen. Surrounding blanks are ignored. */
export function validateText(raw: string, rule: TextValidator): TextVerdict {
  const text = raw.trim()
  if (rule.validator === 'regex') return validatePattern(raw, text, rule.validatorPattern)
  const matches = (rule.validator === 'version' ? VERSION : TEMPERATURE).test(text)
  return matches ? { ok: true, text } : toMismatch(raw, `The text is not a ${rule.validator}.`)
}

function validatePattern(raw: string, text: string, pattern: string): TextVerdict {
  const match = matchWhole(pattern, text)
  if (match.kind === 'matched') return { ok: true, text }
  if (match.kind === 'missed') return toMismatch(raw, 'The text does not match the pattern.')
  return { ok: false, error: 'INVALID_REGEX_PATTERN', raw_text: raw, message: match.problem }
}

function toMismatch(raw: string, message: string): TextVerdict {
  return { ok: false, error: 'VALIDATOR_MISMATCH', raw_text: raw, message }
}
