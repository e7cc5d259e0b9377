import type { LearnedInput } from '../read/inputs.ts'
import { formatName } from '../read/node-text.ts'

/** Replaces the values of a demonstration: "Set Lobby to 23" becomes "Set the given unit to ...". */
export function removeExamples(text: string, inputs: readonly LearnedInput[]): string {
  const examples = inputs
    .flatMap(({ name, type, example }) =>
      example === undefined || type === 'boolean' || example.trim().length < 2
        ? []
        : [{ example: example.trim(), replacement: `the given ${formatName(name)}` }],
    )
    .toSorted((a, b) => b.example.length - a.example.length)
  return examples.reduce(
    (rest, { example, replacement }) => rest.replaceAll(buildTextPattern(example, 'giu'), replacement),
    text,
  )
}

/** As `removeExamples`, for a whole sentence: "of the Kitchen" becomes "of the given unit". */
export const removeExamplesFromSentence = (text: string, inputs: readonly LearnedInput[]): string =>
  removeExamples(text, inputs).replaceAll(/\b(the) the given\b/giu, '$1 given')

/** Matches a value that is not part of a longer word or number. */
export function buildTextPattern(value: string, flags = 'u'): RegExp {
  const escaped = value.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
  return new RegExp(String.raw`(?<![\p{L}\p{N}.,])${escaped}(?![\p{L}\p{N}]|[.,]\p{N})`, flags)
}
