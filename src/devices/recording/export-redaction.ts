import type { RecordingEvent } from '@apprentice/contracts/devices/recording.ts'

const MASK = '•••'

/** Masks typed text wherever it shows, and the titles of windows. What was empty stays empty. */
export function redactEvents(events: readonly RecordingEvent[]): readonly RecordingEvent[] {
  const typed = typedTexts(events)
  return events.map((event): RecordingEvent => {
    switch (event.type) {
      case 'window_change':
        return { ...event, title: masked(event.title ?? null) }
      case 'text_change':
        return { ...event, text: event.text === '' ? '' : MASK }
      case 'click': {
        const text = withoutTyped(event.text, typed)
        return { ...event, text, contentDesc: withoutTyped(event.contentDesc, typed) }
      }
      case 'scroll':
      case 'press_key':
        return event
    }
  })
}

/** The longest first: a text must not be cut up by the beginning of itself. */
function typedTexts(events: readonly RecordingEvent[]): readonly string[] {
  const texts = events.flatMap((event) => (event.type === 'text_change' ? [event.text.trim()] : []))
  return [...new Set(texts)].filter((text) => text !== '').toSorted((a, b) => b.length - a.length)
}

function masked(words: string | null): string | null {
  return words === null || words === '' ? words : MASK
}

/** A short text counts only where it stands alone: typing `a` must not blot out every other word. */
function withoutTyped(words: string | null, typed: readonly string[]): string | null {
  let left = words
  for (const text of typed) {
    if (left === null) return null
    const escaped = text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
    const alone = String.raw`(?<![\p{L}\p{N}])${escaped}(?![\p{L}\p{N}])`
    left = left.replaceAll(new RegExp(text.length >= 4 ? escaped : alone, 'gu'), MASK)
  }
  return left
}
