import { spoken } from '../read/words.ts'
import type { LearnedInput } from '../read/inputs.ts'

/** A person's words without the values they happened to show: "Set Lobby to 23" is about any unit. */
export function withoutExamples(text: string, inputs: readonly LearnedInput[]): string {
  const examples = inputs
    .flatMap(({ name, type, example }) =>
      example === undefined || type === 'boolean' || example.trim().length < 2
        ? []
        : [{ example: example.trim(), by: `the given ${spoken(name)}` }],
    )
    .toSorted((a, b) => b.example.length - a.example.length)
  return examples.reduce(
    (said, { example, by }) => said.replaceAll(wordsPattern(example, 'giu'), by),
    text,
  )
}

/** As `withoutExamples`, for a whole sentence: "of the Kitchen" is "of the given unit". */
export const sentenceWithoutExamples = (text: string, inputs: readonly LearnedInput[]): string =>
  withoutExamples(text, inputs).replaceAll(/\b(the) the given\b/giu, '$1 given')

/** A value as words of their own. */
export function wordsPattern(value: string, flags = 'u'): RegExp {
  const escaped = value.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
  return new RegExp(String.raw`(?<![\p{L}\p{N}.,])${escaped}(?![\p{L}\p{N}]|[.,]\p{N})`, flags)
}
