/** An input device as `getevent -lp` describes it. */
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

/** The touch panel of the screen: its device path and the ranges of its axes. */
export interface TouchPanel {
  readonly path: string
  readonly x: AxisRange
  readonly y: AxisRange
  /** A single-touch panel has no slots and no contacts, only a point and a button. */
  readonly multiTouch: boolean
}

export function parseInputDevices(text: string): readonly InputDevice[] {
  return text
    .split(/^(?=add device \d+:)/m)
    .map(parseDevice)
    .filter((device) => device !== undefined)
}

/** Prefers a panel on the screen to a pad that moves a pointer. */
export function findTouchPanel(devices: readonly InputDevice[]): TouchPanel | undefined {
  const panels = devices.flatMap((device) => {
    const panel = toTouchPanel(device)
    return panel === undefined ? [] : [{ panel, rank: rankPanel(device, panel) }]
  })
  return panels.toSorted((a, b) => b.rank - a.rank)[0]?.panel
}

function parseDevice(block: string): InputDevice | undefined {
  const path = /^add device \d+:\s*(\S+)/.exec(block)?.[1]
  if (path === undefined) return undefined
  const axes = [...block.matchAll(AXIS_PATTERN)].map(
    ([, code = '', min, max]) => [code, { min: Number(min), max: Number(max) }] as const,
  )
  const keys = /^ +KEY \(0001\):(.*(?:\n {8,}.*)*)/m.exec(block)?.[1] ?? ''
  const properties = /^ +input props:\s*\n((?: {4,}\S.*\n?)*)/m.exec(block)?.[1] ?? ''
  return {
    path,
    name: /^ +name: +"(.*)"/m.exec(block)?.[1] ?? '',
    keys: splitNames(keys),
    axes: new Map(axes),
    properties: splitNames(properties),
  }
}

const AXIS_PATTERN = /(?<!\S)(\S+) +: value -?\d+, min (-?\d+), max (-?\d+)/g

function splitNames(text: string): string[] {
  return text.split(/\s+/).filter((name) => name !== '')
}

function toTouchPanel({ path, axes }: InputDevice): TouchPanel | undefined {
  for (const [xAxis, yAxis, multiTouch] of POSITION_AXES) {
    const [x, y] = [axes.get(xAxis), axes.get(yAxis)]
    if (x === undefined || y === undefined) continue
    if (x.max > x.min && y.max > y.min) return { path, x, y, multiTouch }
  }
  return undefined
}

const POSITION_AXES = [
  ['ABS_MT_POSITION_X', 'ABS_MT_POSITION_Y', true],
  ['ABS_X', 'ABS_Y', false],
] as const

function rankPanel({ properties, keys }: InputDevice, { multiTouch }: TouchPanel): number {
  const onScreen = properties.includes('INPUT_PROP_DIRECT') ? 4 : 0
  return onScreen + (multiTouch ? 2 : 0) + (keys.includes('BTN_TOUCH') ? 1 : 0)
}
