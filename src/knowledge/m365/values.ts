import { z } from 'zod'

const LONGEST_TEXT = 240

/** A time of Microsoft Graph as UTC with milliseconds. Without a zone it is UTC. Undefined if it is not a time. */
export function toTime(text: string | null | undefined): string | undefined {
  if (text === undefined || text === null) return undefined
  const hasZone = /(?:Z|[+-]\d{2}:\d{2})$/.test(text)
  // Graph writes up to seven digits of a second.
  const time = Date.parse(`${text.replace(/(\.\d{3})\d+/, '$1')}${hasZone ? '' : 'Z'}`)
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}

export const clip = (text: string | null | undefined, length = LONGEST_TEXT): string => (text ?? '').slice(0, length)

/** A text that may be missing. */
export const Text = z.string().nullish()

/** An address that may be missing. One that is not an address, or very long, is left out. */
export const toUrl = (text: string | null | undefined): string | undefined =>
  typeof text === 'string' && text.length <= 4000 && URL.canParse(text) ? text : undefined

/** The items of a list that have the expected form. Others are left out. */
export function readItems<T>(form: z.ZodType<T>, items: readonly unknown[]): T[] {
  return items.flatMap((item) => {
    const read = form.safeParse(item)
    return read.success ? [read.data] : []
  })
}

/** An id that fits into a reference. */
export const Id = z.string().min(1).max(LONGEST_TEXT)
