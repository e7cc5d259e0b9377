import type { ExportedEvent } from '@apprentice/contracts/devices/recording.ts'
import { toCheckpoint, type FoundCheckpoint, readLabel, readPackage } from './recorded-events.ts'

/** One checkpoint for opening the app and one for each distinct element that was clicked or typed into. */
export function findStructuralCheckpoints(
  events: readonly ExportedEvent[],
  appPackage: string | undefined,
): FoundCheckpoint[] {
  const found = new Map<string, FoundCheckpoint>()
  for (const event of events) {
    if (appPackage === undefined || readPackage(event) !== appPackage) continue
    const words = event.type === 'window_change' ? OPENED_WORDS : readTargetWords(event)
    if (words === undefined || words.length === 0) continue
    const id = buildId(event, words)
    if (!found.has(id)) found.set(id, { ...toCheckpoint(id, event), nameWords: words })
  }
  return [...found.values()]
}

const OPENED_WORDS = ['app', 'opened']

function readTargetWords(event: ExportedEvent): string[] | undefined {
  if (event.type === 'click') return splitWords(readLabel(event) ?? '')
  if (event.type !== 'text_change' || event.text.trim() === '') return undefined
  const field = splitWords(event.resourceId ?? '')
  return field.length > 0 ? field : ['text', 'entered']
}

function buildId({ type }: ExportedEvent, words: readonly string[]): string {
  const name = words.join('_')
  if (type === 'window_change' || name === 'text_entered') return name
  return type === 'click' ? `${name}_clicked` : `${name}_entered`
}

const MAX_WORDS = 5

/** The words of a label without numbers, which vary between runs. Of a resource id only the name is used. */
function splitWords(label: string): string[] {
  const name = /^[\w.]+:id\/(.+)$/.exec(label)?.[1] ?? label
  const words = name.toLowerCase().match(/\p{L}{2,}/gu) ?? []
  return words.slice(0, MAX_WORDS)
}

/** The words of the id of a reported checkpoint. */
export const readIdWords = (id: string): ReadonlySet<string> => new Set(id.toLowerCase().match(/\p{L}+/gu))

/** Whether a reported checkpoint has all these words. */
export function containsAllWords(reported: ReadonlySet<string>, words: readonly string[]): boolean {
  return words.length > 0 && words.every((word) => reported.has(word))
}
