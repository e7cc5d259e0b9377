import { node, type Sketch, text } from '../tree-builder.ts'

export interface MonthSketch {
  readonly year: number
  readonly month: number
  /** The top of its first week. */
  readonly top?: number
  readonly chosen?: number
  /** Days after this one are disabled. */
  readonly last?: number
}

type DrawDay = (date: { year: number; month: number; day: number }, place: Place) => Sketch

interface Place {
  readonly bounds: string
  readonly enabled: string
  readonly chosen: string
}

const NAMES = 'January February March April May June July August September October November December'.split(' ')
const WEEKDAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')
const CELL = 140

export const nameMonth = ({ year, month }: MonthSketch): string => `${NAMES[month - 1]} ${year}`
const nameDay = ({ year, month, day }: { year: number; month: number; day: number }): string =>
  WEEKDAYS[new Date(Date.UTC(year, month - 1, day)).getUTCDay()] ?? ''

const box = (left: number, top: number, right: number, bottom: number): string => `[${left},${top}][${right},${bottom}]`

/** The weeks of a month, from Sunday on. */
export function drawDays(month: MonthSketch, draw: DrawDay): Sketch[] {
  const { year, top = 600, chosen, last = 31 } = month
  const first = new Date(Date.UTC(year, month.month - 1, 1)).getUTCDay()
  const count = new Date(Date.UTC(year, month.month, 0)).getUTCDate()
  return Array.from({ length: count }, (_, at) => {
    const [column, row] = [(first + at) % 7, Math.floor((first + at) / 7)]
    const [left, y] = [50 + column * CELL, top + row * CELL]
    return draw(
      { year, month: month.month, day: at + 1 },
      {
        bounds: box(left, y, left + CELL, y + CELL),
        enabled: String(at < last),
        chosen: String(at + 1 === chosen),
      },
    )
  })
}

export const button = (label: Readonly<Record<string, string>>, left: number, top = 400): Sketch =>
  node({ class: 'android.widget.Button', clickable: 'true', bounds: box(left, top, left + 120, top + 120), ...label })

const heading = (label: string, top = 420): Sketch => text(label, { bounds: box(200, top, 700, top + 80) })
const window = (...children: Sketch[]): Sketch => node({ class: 'android.widget.FrameLayout' }, ...children)

/** One month in the shapes of several toolkits. */
export const CALENDARS: Readonly<Record<string, (month: MonthSketch) => Sketch>> = {
  'the picker of Android': (month) =>
    window(
      text('2026', { bounds: box(50, 100, 200, 160) }),
      text('Mon, May 4', { bounds: box(50, 180, 400, 260) }),
      button({ 'content-desc': 'Previous month', 'resource-id': 'android:id/prev' }, 50),
      button({ 'content-desc': 'Next month', 'resource-id': 'android:id/next' }, 900),
      node(
        { 'resource-id': 'android:id/month_view' },
        ...drawDays(month, (date, { bounds, enabled, chosen }) =>
          node({
            text: String(date.day),
            'content-desc': `${String(date.day).padStart(2, '0')} ${nameMonth(date)}`,
            clickable: 'true',
            checked: chosen,
            bounds,
            enabled,
          }),
        ),
      ),
    ),
  Material: (month) =>
    window(
      button({ text: nameMonth(month) }, 50),
      button({ 'content-desc': 'Change to previous month' }, 700),
      button({ 'content-desc': 'Change to next month' }, 900),
      ...drawDays(month, (date, { bounds, enabled, chosen }) =>
        text(String(date.day), {
          'content-desc': `${nameDay(date)}, ${NAMES[date.month - 1]} ${date.day}`,
          clickable: 'true',
          selected: chosen,
          bounds,
          enabled,
        }),
      ),
    ),
  Compose: (month) =>
    window(
      button({ text: nameMonth(month) }, 50),
      button({ 'content-desc': 'Change to previous month' }, 700),
      button({ 'content-desc': 'Change to next month' }, 900),
      node(
        { scrollable: 'true' },
        ...drawDays(month, (date, { bounds, enabled, chosen }) =>
          node(
            {
              'content-desc': `${nameDay(date)}, ${NAMES[date.month - 1]} ${date.day}, ${date.year}`,
              clickable: 'true',
              selected: chosen,
              bounds,
              enabled,
            },
            text(String(date.day), { bounds }),
          ),
        ),
      ),
    ),
  Flutter: (month) =>
    window(
      node({ 'content-desc': nameMonth(month), bounds: box(50, 420, 500, 500) }),
      button({ 'content-desc': 'Previous month' }, 700),
      button({ 'content-desc': 'Next month' }, 900),
      ...drawDays(month, (date, { bounds, enabled, chosen }) =>
        node({
          'content-desc': `${date.day}, ${nameDay(date)}, ${NAMES[date.month - 1]} ${date.day}, ${date.year}`,
          clickable: 'true',
          selected: chosen,
          bounds,
          enabled,
        }),
      ),
    ),
  'React Native': (month) =>
    window(
      node({ clickable: 'true', bounds: box(50, 400, 170, 520) }, node({ class: 'android.widget.ImageView' })),
      heading(nameMonth(month)),
      node({ clickable: 'true', bounds: box(900, 400, 1020, 520) }, node({ class: 'android.widget.ImageView' })),
      ...drawDays(month, (date, { bounds, enabled, chosen }) =>
        node(
          { class: 'android.view.ViewGroup', clickable: 'true', selected: chosen, bounds, enabled },
          text(String(date.day), { bounds }),
        ),
      ),
    ),
  'a web page': (month) =>
    window(
      button({ text: '«' }, 50),
      heading(nameMonth(month)),
      button({ text: '»' }, 900),
      ...drawDays(month, (date, { bounds, enabled }) =>
        node({ text: String(date.day), bounds, enabled, clickable: 'true' }),
      ),
    ),
}
