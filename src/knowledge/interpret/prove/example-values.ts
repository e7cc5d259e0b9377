import { formatDate } from '../../../screen/calendar/calendar-date.ts'
import { type Column, readEntryName } from '../align/alignment.ts'
import type { Intent } from '../read/intent.ts'
import type { ExampleValues } from '../read/matching.ts'
import { readText } from '../read/node-text.ts'

/** The value of each input in one of the traces. `intents` are those of the columns, in order. */
export function collectExampleValues(
  intents: readonly Intent[],
  columns: readonly Column[],
  trace: number,
): ExampleValues {
  const values = intents.flatMap(({ entry, input }, at): [string, string][] => {
    const intent = columns[at]?.intents[trace]
    if (intent === undefined) return []
    const name = entry && readEntryName(intent)
    return [
      ...(entry !== undefined && name !== undefined ? [pair(entry.input, name)] : []),
      ...(input !== undefined ? [pair(input, readValue(intent))] : []),
    ]
  })
  return new Map(values)
}

const pair = (name: string, value: string): [string, string] => [name, value]

function readValue({ typed, adjustment, toggled, choice, date, node }: Intent): string {
  if (typed !== undefined) return typed.text ?? ''
  if (adjustment !== undefined) return String(adjustment.to)
  if (toggled !== undefined) return String(toggled.checked)
  if (choice !== undefined) return choice.text
  if (date !== undefined) return formatDate(date)
  return node === undefined ? '' : readText(node)
}
