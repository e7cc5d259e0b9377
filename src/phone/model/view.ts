export interface Rect {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

export type Extent = number | 'fill' | 'wrap'
export type Alignment = 'start' | 'center' | 'end'

/** How a view takes and gives space. */
export interface Layout {
  readonly flow: 'leaf' | 'row' | 'column' | 'stack' | 'grid'
  readonly width: Extent
  readonly height: Extent
  readonly weight: number
  readonly padX: number
  readonly padY: number
  readonly gap: number
  readonly align: Alignment
  /** Where the children of a row or column gather when there is room to spare. */
  readonly gather: 'start' | 'end'
  readonly columns: number
  readonly at?: {
    readonly x: number
    readonly y: number
    readonly width: number
    readonly height: number
  }
  /** Size of a leaf that has no text of its own, beside the text when it has some. */
  readonly intrinsic: { readonly width: number; readonly height: number }
}

/** How a view is drawn. */
export interface Look {
  readonly shape:
    | 'plain'
    | 'button'
    | 'image'
    | 'switch'
    | 'checkbox'
    | 'radio'
    | 'field'
    | 'slider'
    | 'progress'
  readonly size: number
  readonly bold: boolean
  readonly textAlign: Alignment
  readonly color: string
  readonly accent: string
  readonly background?: string
  /** Filled share of a slider or progress bar, 0..1. */
  readonly fraction?: number
  readonly icon?: string
}

export interface FieldControl {
  readonly multiline: boolean
  read(): string
  write(text: string): void
  submit(): void
}

export interface SliderControl {
  /** Puts the thumb at a share of the track, 0..1. */
  moveTo(share: number): void
}

export interface ScrollControl {
  readonly axis: 'vertical' | 'horizontal'
  offset: number
  limit: number
  store(offset: number): void
}

/** One element on the screen: what a dump says about it, where it is, and what it does when touched. */
export interface View {
  /** Stable between two frames of the same window. */
  readonly key: string
  index: number
  readonly className: string
  readonly resourceId: string
  readonly packageName: string
  readonly text: string
  readonly description: string
  readonly checkable: boolean
  readonly checked: boolean
  readonly clickable: boolean
  readonly enabled: boolean
  readonly focusable: boolean
  readonly focused: boolean
  readonly longClickable: boolean
  readonly password: boolean
  readonly selected: boolean
  readonly layout: Layout
  readonly look: Look
  readonly children: readonly View[]
  readonly onTap?: (() => void) | undefined
  readonly onLongPress?: (() => void) | undefined
  readonly field?: FieldControl | undefined
  readonly slider?: SliderControl | undefined
  readonly scroll?: ScrollControl | undefined
  bounds: Rect
  /** The part of the bounds that is really on the screen. */
  shown: Rect
}

const NOWHERE: Rect = { left: 0, top: 0, right: 0, bottom: 0 }

export function isVisible(rect: Rect): boolean {
  return rect.right > rect.left && rect.bottom > rect.top
}

export function intersect(a: Rect, b: Rect): Rect {
  return {
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  }
}

export function contains(rect: Rect, x: number, y: number): boolean {
  return x >= rect.left && x < rect.right && y >= rect.top && y < rect.bottom
}

/** Every view that can be seen, parents first, in drawing order. */
export function* visibleViews(view: View): Generator<View> {
  if (!isVisible(view.shown)) return
  yield view
  for (const child of view.children) yield* visibleViews(child)
}

type ViewStart = Pick<View, 'key' | 'className' | 'packageName'> &
  Partial<Omit<View, 'layout' | 'look'>> & {
    readonly layout?: Partial<Layout>
    readonly look?: Partial<Look>
  }

/** A view with everything not named at its quiet default. */
export function createView(start: ViewStart): View {
  const { layout, look, ...rest } = start
  return {
    index: 0,
    resourceId: '',
    text: '',
    description: '',
    checkable: false,
    checked: false,
    clickable: false,
    enabled: true,
    focusable: false,
    focused: false,
    longClickable: false,
    password: false,
    selected: false,
    children: [],
    bounds: NOWHERE,
    shown: NOWHERE,
    ...rest,
    layout: { ...PLAIN_LAYOUT, ...layout },
    look: { ...PLAIN_LOOK, ...look },
  }
}

const PLAIN_LAYOUT: Layout = {
  flow: 'leaf',
  width: 'wrap',
  height: 'wrap',
  weight: 0,
  padX: 0,
  padY: 0,
  gap: 0,
  align: 'start',
  gather: 'start',
  columns: 1,
  intrinsic: { width: 0, height: 0 },
}

const PLAIN_LOOK: Look = {
  shape: 'plain',
  size: 42,
  bold: false,
  textAlign: 'start',
  color: '#212121',
  accent: '#3f51b5',
}
