import { runInNewContext } from 'node:vm'

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
/** A pattern of the caller must not block the event loop. */
const PATTERN_BUDGET_MS = 100

/** Validates a text read from the screen. Surrounding blanks are ignored. */
export function validateText(raw: string, rule: TextValidator): TextVerdict {
  const text = raw.trim()
  if (rule.validator === 'regex') return validatePattern(raw, text, rule.validatorPattern)
  const matches = (rule.validator === 'version' ? VERSION : TEMPERATURE).test(text)
  return matches ? { ok: true, text } : toMismatch(raw, `The text is not a ${rule.validator}.`)
}

function validatePattern(raw: string, text: string, pattern: string): TextVerdict {
  const matches = matchWhole(pattern, text)
  if (matches === 'matched') return { ok: true, text }
  if (matches === 'missed') return toMismatch(raw, 'The text does not match the pattern.')
  const message =
    matches === 'invalid'
      ? 'The pattern is not a valid regular expression.'
      : `The pattern took longer than ${PATTERN_BUDGET_MS} ms.`
  return { ok: false, error: 'INVALID_REGEX_PATTERN', raw_text: raw, message }
}

function matchWhole(pattern: string, text: string): 'matched' | 'missed' | 'invalid' | 'too slow' {
  let whole: RegExp
  try {
    // Compiled without the group first: an unbalanced pattern could close the group.
    void new RegExp(pattern)
    whole = new RegExp(`^(?:${pattern})$`)
  } catch {
    return 'invalid'
  }
  try {
    // Only a match in its own context can be stopped by a time limit.
    const found: unknown = runInNewContext(
      'pattern.test(text)',
      { pattern: whole, text },
      { timeout: PATTERN_BUDGET_MS },
    )
    return found === true ? 'matched' : 'missed'
  } catch {
    return 'too slow'
  }
}

function toMismatch(raw: string, message: string): TextVerdict {
  return { ok: false, error: 'VALIDATOR_MISMATCH', raw_text: raw, message }
}
