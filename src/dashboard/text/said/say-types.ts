import type { FailureCode } from '@apprentice/contracts/base/failures.ts'

export type FailureDetails = Readonly<Record<string, unknown>>

/** A sentence, or one that depends on the details of the failure. */
export type FailureText = string | ((details: FailureDetails) => string)

export type Failures = Readonly<Partial<Record<FailureCode, FailureText>>>

/**
 * What the API says without a code, and how it is said in the language of the page. `{a}` stands for any words, which stay
 * as they are; `{s}` stands for a sentence of the list, `{v}` and `{w}` for a value of the API. The first one that fits is used.
 */
export type Sentences = readonly (readonly [english: string, translated: string])[]
