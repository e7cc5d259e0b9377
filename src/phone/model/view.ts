import type { StateValue } from '../documents/evaluation.ts'

export interface Rect {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

export interface Size {
  readonly width: number
  readonly height: number
}

export type Extent = number | 'fill' | 'wrap'
export type Alignment = 'start' | 'center' | 'end'

/** How a view is sized and how it arranges its children. */
export interface Layout {
  readonly flow: 'leaf' | 'row' | 'column' | 'stack' | 'grid'
  readonly width: Extent
  readonly height: Extent
  readonly weight: number
  readonly padX: number
  readonly padY: number
  readonly gap: number
  readonly align: Alignment
  /** Where the children of a row or column are placed when there is spare space. */
  readonly justify: 'start' | 'end'
  readonly columns: number
  readonly at?: {
    readonly x: number
    readonly y: number
    readonly width: number
    readonly height: number
  }
  /** In a line that scrolls, the view is as long as the visible part of the line. */
  readonly page?: boolean
  /** In a line that scrolls, the view stays at the start until the next such view reaches it. */
  readonly sticky?: boolean
  /** Size of a leaf without text. With text, the width is added and the height is a minimum. */
  readonly intrinsic: { readonly width: number; readonly height: number }
}

/** How a view is drawn. */
export interface Style {
  readonly shape:
    | 'plain'
    | 'button'
    | 'chip'
    | 'image'
    | 'switch'
    | 'checkbox'
    | 'radio'
    | 'field'
    | 'slider'
    | 'progress'
    | 'scrim'
  readonly size: number
  readonly bold: boolean
  readonly textAlign: Alignment
  readonly color: string
  readonly accent: string
  readonly background?: string
  /** Filled fraction of a slider or progress bar, 0..1. */
  readonly fraction?: number
  readonly icon?: string
  /** Drawn where there is no text. */
  readonly words?: string
  /** The chosen option of several. */
  readonly isChosen?: boolean
}

export interface FieldControl {
  readonly multiline: boolean
  readonly keyboard: 'letters' | 'digits'
  /** At this length the next field gets the focus. */
  readonly advanceAt?: number | undefined
  read(): string
  write(text: string): void
  submit(): void
}

export interface SliderControl {
  /** Moves the thumb to a fraction of the track, 0..1. */
  moveTo(share: number): void
}

export interface ScrollControl {
  readonly axis: 'vertical' | 'horizontal'
  offset: number
  limit: number
  /** When a dump calls the view scrollable: if there is something to scroll to, always or never. */
  readonly printed: 'overflow' | 'always' | 'never'
  /** Scrolls by this number of pixels. */
  move(by: number): void
}

export const DIRECTIONS = ['left', 'right', 'up', 'down'] as const
export type Direction = (typeof DIRECTIONS)[number]

/** Handlers by direction. They are called with the length of the swipe in pixels. */
export type SwipeHandlers = Readonly<Partial<Record<Direction, (distance: number) => void>>>

/** A view that can be dragged to another one, and the value that is dropped there. */
export interface DragSource {
  readonly value: StateValue
  /** True: only after a long press. */
  readonly hold: boolean
}

/** One element of a window: its dump attributes, bounds and touch handlers. */
export interface View {
  /** Identifies the view. Stable between frames of the same window. */
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
  readonly style: Style
  children: readonly View[]
  readonly hint: string
  /** False: drawn and touchable, but not part of dumps. */
  readonly dumped: boolean
  /** The class was chosen by the document. */
  readonly fixedClass: boolean
  /** Views below get no touches here. */
  readonly blocks?: boolean
  /** Dumped with its bounds as recorded, even without an area. */
  kept?: boolean
  /** The position among tabs. */
  readonly tab?: { readonly index: number; readonly count: number } | undefined
  /** Changes all the time, so that the screen never becomes idle. */
  readonly animated: boolean
  readonly onTap?: (() => void) | undefined
  readonly onLongPress?: (() => void) | undefined
  readonly onSwipe?: SwipeHandlers | undefined
  readonly onDrop?: ((value: StateValue) => void) | undefined
  readonly drag?: DragSource | undefined
  readonly field?: FieldControl | undefined
  readonly slider?: SliderControl | undefined
  readonly scroll?: ScrollControl | undefined
  bounds: Rect
  /** The part of the bounds that is visible on the screen. */
  visibleBounds: Rect
  /** The size that the view has within this width and height. */
  measured?: { readonly width: number; readonly height: number; readonly size: Size }
}

const EMPTY_RECT: Rect = { left: 0, top: 0, right: 0, bottom: 0 }

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

/** Yields the visible views in drawing order, parents first. */
export function* visibleViews(view: View): Generator<View> {
  if (!isVisible(view.visibleBounds)) return
  yield view
  for (const child of view.children) yield* visibleViews(child)
}

type ViewOptions = Pick<View, 'key' | 'className' | 'packageName'> &
  Partial<Omit<View, 'layout' | 'style'>> & {
    readonly layout?: Partial<Layout>
    readonly style?: Partial<Style>
  }

/** Creates a view. Omitted properties get their defaults. */
export function createView(start: ViewOptions): View {
  const { layout, style, ...rest } = start
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
    hint: '',
    dumped: true,
    fixedClass: false,
    animated: false,
    bounds: EMPTY_RECT,
    visibleBounds: EMPTY_RECT,
    ...rest,
    layout: { ...DEFAULT_LAYOUT, ...layout },
    style: { ...DEFAULT_STYLE, ...style },
  }
}

const DEFAULT_LAYOUT: Layout = {
  flow: 'leaf',
  width: 'wrap',
  height: 'wrap',
  weight: 0,
  padX: 0,
  padY: 0,
  gap: 0,
  align: 'start',
  justify: 'start',
  columns: 1,
  intrinsic: { width: 0, height: 0 },
}

const DEFAULT_STYLE: Style = {
  shape: 'plain',
  size: 42,
  bold: false,
  textAlign: 'start',
  color: '#212121',
  accent: '#3f51b5',
}
