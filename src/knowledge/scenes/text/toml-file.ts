import { parse, TomlError } from 'smol-toml'
import type { z } from 'zod'

/** What is wrong with a key of a file. The reason is the end of a sentence that starts with the key. */
export interface FileFinding {
  readonly key?: string
  readonly reason: string
}

type TomlDocument = Readonly<Record<string, unknown>>

export function parseTomlFile(text: string): { readonly value: TomlDocument } | { readonly problem: FileFinding } {
  try {
    return { value: parse(text) }
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const [first = ''] = error.message.replace('Invalid TOML document: ', '').split('\n')
    return { problem: { reason: `is not valid TOML: line ${error.line}, column ${error.column}: ${first}` } }
  }
}

const MAX_FINDINGS = 20

/** At most 20 findings: a file may break a rule once per key. */
export const toFileFindings = (error: z.ZodError): FileFinding[] =>
  error.issues.slice(0, MAX_FINDINGS).map(({ path, message }) => ({
    ...(path.length === 0 ? {} : { key: path.join('.') }),
    reason: message,
  }))
