import type { Intent } from '../align/intent.ts'
import { type Column, entryWordsOf, sampleOf } from '../align/align.ts'
import type { Shown } from '../read/matching.ts'
import type { Move } from '../read/move.ts'
import { shownWords } from '../read/words.ts'

/** What each input stood for in one of the runs. */
export function shownInRun(
  intents: readonly Intent[],
  columns: readonly Column[],
  run: number,
): Shown {
  const values = intents.flatMap((intent): [string, string][] => {
    const column = columns.find((one) => sampleOf(one) === intent.move)
    const move = column?.moves[run]
    if (move === undefined) return []
    const { entry, input } = intent
    const words = entryWordsOf(move)
    return [
      ...(entry !== undefined && words !== undefined
        ? [[entry.input, words] as [string, string]]
        : []),
      ...(input !== undefined ? [[input, valueOf(move)] as [string, string]] : []),
    ]
  })
  return new Map(values)
}

function valueOf({ typed, adjustment, toggled, node }: Move): string {
  if (typed !== undefined) return typed.text ?? ''
  if (adjustment !== undefined) return String(adjustment.to)
  if (toggled !== undefined) return String(toggled.checked)
  return node === undefined ? '' : shownWords(node)
}
