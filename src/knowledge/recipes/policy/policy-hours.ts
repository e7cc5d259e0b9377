import type { PolicyHours, Weekday } from '@apprentice/contracts/policy/profile.ts'

const DAYS: readonly Weekday[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

/** Whether a time is in one of the windows, by the wall clock of their time zone. */
export function isWithinHours({ time_zone, windows }: PolicyHours, now: string): boolean {
  const { day, time } = readWallClock(now, time_zone)
  const dayBefore = DAYS[(DAYS.indexOf(day) + 6) % 7]
  return windows.some(({ days, from, to }) => {
    const starts = (name: Weekday | undefined): boolean =>
      days === undefined || (name !== undefined && days.includes(name))
    if (from < to) return starts(day) && from <= time && time < to
    return (starts(day) && from <= time) || (starts(dayBefore) && time < to)
  })
}

export const describeHours = ({ time_zone, windows }: PolicyHours): string =>
  `${windows
    .slice(0, 3)
    .map(({ days, from, to }) => `${days === undefined ? '' : `${days.join(' ')} `}${from}-${to}`)
    .join(', ')} ${time_zone}`

function readWallClock(now: string, timeZone: string): { readonly day: Weekday; readonly time: string } {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  const parts = new Map(format.formatToParts(new Date(now)).map(({ type, value }) => [type, value]))
  const day = DAYS.find((name) => name === parts.get('weekday')?.toLowerCase()) ?? 'mon'
  return { day, time: `${parts.get('hour') ?? '00'}:${parts.get('minute') ?? '00'}` }
}
