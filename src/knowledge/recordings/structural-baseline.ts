import type { ExportedEvent } from '@apprentice/contracts/devices/recording.ts'
import { checkpointOf, type FoundCheckpoint, labelOf, packageOf } from './recorded-events.ts'

/** The app opened, then one checkpoint for each different thing that was touched or written in it. */
export function structuralCheckpoints(
  events: readonly ExportedEvent[],
  appPackage: string | undefined,
): FoundCheckpoint[] {
  const found = new Map<string, FoundCheckpoint>()
  for (const event of events) {
    if (appPackage === undefined || packageOf(event) !== appPackage) continue
    const words = event.type === 'window_change' ? OPENED : targetWords(event)
    if (words === undefined || words.length === 0) continue
    const id = idOf(event, words)
    if (!found.has(id)) found.set(id, { ...checkpointOf(id, event), words })
  }
  return [...found.values()]
}

const OPENED = ['app', 'opened']

function targetWords(event: ExportedEvent): string[] | undefined {
  if (event.type === 'click') return plainWords(labelOf(event) ?? '')
  if (event.type !== 'text_change' || event.text.trim() === '') return undefined
  const field = plainWords(event.resourceId ?? '')
  return field.length > 0 ? field : ['text', 'entered']
}

function idOf({ type }: ExportedEvent, words: readonly string[]): string {
  const name = words.join('_')
  if (type === 'window_change' || name === 'text_entered') return name
  return type === 'click' ? `${name}_clicked` : `${name}_entered`
}

const MOST_WORDS = 5

/** Words without numbers, which differ from run to run; of an id only the name. */
function plainWords(label: string): string[] {
  const name = /^[\w.]+:id\/(.+)$/.exec(label)?.[1] ?? label
  const words = name.toLowerCase().match(/\p{L}{2,}/gu) ?? []
  return words.slice(0, MOST_WORDS)
}

/** Whether a checkpoint a skill reports is the one that is named by these words. */
export function isNamedBy(reportedId: string, words: readonly string[]): boolean {
  const said = new Set(reportedId.toLowerCase().match(/\p{L}+/gu))
  return words.length > 0 && words.every((word) => said.has(word))
}
