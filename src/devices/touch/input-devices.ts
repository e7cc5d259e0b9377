/** One source of input as `getevent -lp` describes it. */
export interface InputDevice {
  readonly path: string
  readonly name: string
  readonly keys: readonly string[]
  readonly axes: ReadonlyMap<string, AxisRange>
  readonly properties: readonly string[]
}

export interface AxisRange {
  readonly min: number
  readonly max: number
}

/** The panel under the screen: where its events come from and how far its axes reach. */
export interface TouchPanel {
  readonly path: string
  readonly x: AxisRange
  readonly y: AxisRange
  /** Panels of one finger know neither slots nor contacts, only a point and a button. */
  readonly multiTouch: boolean
}

export function parseInputDevices(text: string): readonly InputDevice[] {
  return text
    .split(/^(?=add device \d+:)/m)
    .map(parseDevice)
    .filter((device) => device !== undefined)
}

/** A panel glued to the screen counts before a pad that only moves a pointer. */
export function findTouchPanel(devices: readonly InputDevice[]): TouchPanel | undefined {
  const panels = devices.flatMap((device) => {
    const panel = panelOf(device)
    return panel === undefined ? [] : [{ panel, rank: rankOf(device, panel) }]
  })
  return panels.toSorted((a, b) => b.rank - a.rank)[0]?.panel
}

function parseDevice(block: string): InputDevice | undefined {
  const path = /^add device \d+:\s*(\S+)/.exec(block)?.[1]
  if (path === undefined) return undefined
  const axes = [...block.matchAll(AXIS)].map(
    ([, code = '', min, max]) => [code, { min: Number(min), max: Number(max) }] as const,
  )
  const keys = /^ +KEY \(0001\):(.*(?:\n {8,}.*)*)/m.exec(block)?.[1] ?? ''
  const properties = /^ +input props:\s*\n((?: {4,}\S.*\n?)*)/m.exec(block)?.[1] ?? ''
  return {
    path,
    name: /^ +name: +"(.*)"/m.exec(block)?.[1] ?? '',
    keys: words(keys),
    axes: new Map(axes),
    properties: words(properties),
  }
}

const AXIS = /(\S+) +: value -?\d+, min (-?\d+), max (-?\d+)/g

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}

function panelOf({ path, axes }: InputDevice): TouchPanel | undefined {
  for (const [across, down, multiTouch] of POSITIONS) {
    const [x, y] = [axes.get(across), axes.get(down)]
    if (x === undefined || y === undefined) continue
    if (x.max > x.min && y.max > y.min) return { path, x, y, multiTouch }
  }
  return undefined
}

const POSITIONS = [
  ['ABS_MT_POSITION_X', 'ABS_MT_POSITION_Y', true],
  ['ABS_X', 'ABS_Y', false],
] as const

function rankOf({ properties, keys }: InputDevice, { multiTouch }: TouchPanel): number {
  const direct = properties.includes('INPUT_PROP_DIRECT') ? 4 : 0
  return direct + (multiTouch ? 2 : 0) + (keys.includes('BTN_TOUCH') ? 1 : 0)
}
