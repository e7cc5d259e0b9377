import { deFailures } from './de-failures.ts'
import { deSentences } from './de-sentences.ts'
import { deValues } from '../de-values.ts'
import { Translator } from './translator.ts'

/** What the API says, in German. */
export const deSaid = new Translator({ failures: deFailures, sentences: deSentences, values: deValues })
