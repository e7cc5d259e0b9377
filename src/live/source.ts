import type { Reader } from '../store/db/db.ts'
import {
  EVERYONE,
  getLastEventSeq,
  getLastStreamSeq,
  listEventsSince,
  listStreamEvents,
  type StoredEvent,
} from '../store/command/events.ts'
import { findToldSubject, formatFeedFrame, formatFrame } from './frame.ts'

const PAGE_SIZE = 500

/** In place of a subject: the stream contains events of all subjects. */
export const ALL_SUBJECTS = ''

/** What a stream delivers. */
export interface StreamSource {
  readonly subject: string
  /** Whether no more events will follow. */
  readonly isOver: (reader: Reader) => boolean
  /** The id of the newest event. */
  readonly findLastId: (reader: Reader) => number
  /** The next events after an id, the id up to which they were looked for, and whether there may be more. */
  readonly readPage: (reader: Reader, after: number) => Page
  readonly accepts: (event: StoredEvent) => boolean
  readonly format: (event: StoredEvent) => string
}

interface Page {
  readonly events: readonly StoredEvent[]
  readonly lastId: number
  readonly isLast: boolean
}

/** The delivered events of one subject, numbered from 1. */
export const createSubjectSource = (subject: string, isOver: (reader: Reader) => boolean): StreamSource => ({
  subject,
  isOver,
  findLastId: (reader) => getLastStreamSeq(reader, subject),
  readPage: (reader, after) => {
    const events = listStreamEvents(reader, subject, { afterSeq: after, limit: PAGE_SIZE })
    return { events, lastId: events.at(-1)?.stream_seq ?? after, isLast: events.length === 0 }
  },
  accepts: ({ stream_seq }) => stream_seq !== undefined,
  format: formatFrame,
})

export interface FeedFilter {
  /** The user whose events are wanted. Absent: the events of all users, and those for administrators. */
  readonly user_id?: string | undefined
  /** The beginnings of the wanted kinds; none: all kinds. */
  readonly kinds: readonly string[]
  /** A subject, or the beginning of subjects that ends with a slash. */
  readonly subject?: string | undefined
  /** Whether the stream continues with new events. */
  readonly follow: boolean
}

/** The events of all subjects, with the numbers of the global sequence. */
export const createFeedSource = (filter: FeedFilter): StreamSource => {
  const accepts = (event: StoredEvent) => isWanted(filter, event)
  return {
    subject: ALL_SUBJECTS,
    isOver: () => !filter.follow,
    findLastId: getLastEventSeq,
    readPage: (reader, after) => {
      const events = listEventsSince(reader, after, PAGE_SIZE)
      return {
        events: events.filter(accepts),
        lastId: events.at(-1)?.seq ?? after,
        isLast: events.length === 0,
      }
    },
    accepts,
    format: formatFeedFrame,
  }
}

export function isWanted({ user_id, kinds, subject }: FeedFilter, event: StoredEvent): boolean {
  const { visible_to, kind } = event
  if (user_id !== undefined && visible_to !== user_id && visible_to !== EVERYONE) return false
  if (kinds.length > 0 && !kinds.some((prefix) => kind.startsWith(prefix))) return false
  if (subject === undefined) return true
  const told = findToldSubject(event)
  return subject.endsWith('/') ? told.startsWith(subject) : told === subject
}
