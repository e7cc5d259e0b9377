import type { Intent } from '../../src/knowledge/interpret/read/intent.ts'
import type { ObservedStep, ObservedTrace } from '../../src/knowledge/steps/observed-step.ts'
import type { Hierarchy, UiNode } from '../../src/screen/tree/hierarchy.ts'
import { node, screen, type Sketch, text } from '../screen/tree-builder.ts'

/** The state of an app with three screens. `applyTouch` defines what every touch does. */
export interface TinyState {
  readonly screen: 'home' | 'form' | 'about'
  readonly light: boolean
  readonly heat: boolean
  /** Visible only on its own screen. */
  readonly news: boolean
  readonly level: number
  readonly draft: string
  readonly saved: readonly string[]
}

export const START_STATE: TinyState = {
  screen: 'home',
  light: false,
  heat: true,
  news: false,
  level: 5,
  draft: '',
  saved: [],
}

export type TinyTouch =
  | {
      readonly tap: 'light' | 'heat' | 'news' | 'plus' | 'minus' | 'write' | 'about' | 'save' | 'idle'
    }
  | { readonly type: string }
  | { readonly key: 'back' }

export const TOUCHES: readonly TinyTouch[] = [
  { tap: 'light' },
  { tap: 'heat' },
  { tap: 'news' },
  { tap: 'plus' },
  { tap: 'minus' },
  { tap: 'write' },
  { tap: 'about' },
  { tap: 'save' },
  { tap: 'idle' },
  { type: 'milk' },
  { type: 'bread' },
  { key: 'back' },
]

const homeTaps = ['light', 'heat', 'plus', 'minus', 'write', 'about', 'idle']

export function isPossible({ screen: at }: TinyState, touch: TinyTouch): boolean {
  if ('key' in touch) return at !== 'home'
  if ('type' in touch) return at === 'form'
  if (touch.tap === 'save') return at === 'form'
  if (touch.tap === 'news') return at === 'about'
  return at === 'home' ? homeTaps.includes(touch.tap) : touch.tap === 'idle'
}

export function applyTouch(state: TinyState, touch: TinyTouch): TinyState {
  if ('key' in touch) return { ...state, screen: 'home', draft: '' }
  if ('type' in touch) return { ...state, draft: touch.type }
  switch (touch.tap) {
    case 'light':
    case 'heat':
    case 'news':
      return { ...state, [touch.tap]: !state[touch.tap] }
    case 'plus':
      return { ...state, level: state.level + 1 }
    case 'minus':
      return { ...state, level: state.level - 1 }
    case 'write':
      return { ...state, screen: 'form', draft: '' }
    case 'about':
      return { ...state, screen: 'about' }
    case 'save':
      return { ...state, screen: 'home', saved: [...state.saved, state.draft], draft: '' }
    case 'idle':
      return state
  }
}

/** The trace of a list of touches. Touches that are not possible on the current screen are skipped. */
export function buildTrace(given: readonly TinyTouch[], trace_id = 'tiny'): { trace: ObservedTrace; end: TinyState } {
  const steps: ObservedStep[] = []
  let state = START_STATE
  for (const touch of given) {
    if (!isPossible(state, touch)) continue
    const next = applyTouch(state, touch)
    steps.push(toStep(touch, { state, next, event_id: `${trace_id}-${steps.length}`, trace_id }))
    state = next
  }
  return { trace: { trace_id, steps }, end: state }
}

/** Applies intents to the start state. */
export function replay(intents: readonly Intent[]): TinyState {
  return intents.reduce((state, { kind, node, toggled, adjustment, typed }) => {
    const id = readId(node)
    if (kind === 'toggle') return { ...state, [id]: toggled?.checked }
    if (kind === 'adjust') return { ...state, level: adjustment?.to ?? state.level }
    if (kind === 'type') return applyTouch(state, { type: typed?.text ?? '' })
    if (kind === 'key') return applyTouch(state, { key: 'back' })
    return applyTouch(state, { tap: id as 'write' })
  }, START_STATE)
}

const APP = 'com.example.tiny'

function toStep(
  touch: TinyTouch,
  { state, next, ...ids }: { state: TinyState; next: TinyState; event_id: string; trace_id: string },
): ObservedStep {
  const before = renderTree(state)
  const target = 'tap' in touch ? touch.tap : 'type' in touch ? 'field' : undefined
  const path = before.nodes.find((one) => readId(one) === target)?.path
  return {
    ...ids,
    kind: 'tap' in touch ? 'tap' : 'type' in touch ? 'text' : 'key',
    app: APP,
    action_label: '',
    caused_state_change: state !== next,
    created_at: '2026-03-01T12:00:00.000Z',
    before,
    after: renderTree(next),
    activity: `.${next.screen}`,
    ...(path !== undefined && { node_path: path }),
    ...('type' in touch && { text: touch.type }),
    ...('key' in touch && { key: touch.key }),
  }
}

function readId(one: UiNode | undefined): string {
  const id = one?.attributes['resource-id'] ?? ''
  return id.slice(id.lastIndexOf('/') + 1)
}

const named = (id: string) => ({ 'resource-id': `${APP}:id/${id}`, package: APP })
const button = (id: string, label: string): Sketch =>
  node({ ...named(id), class: 'android.widget.Button', text: label, clickable: 'true' })
const toggle = (id: string, checked: boolean): Sketch =>
  node({
    ...named(id),
    class: 'android.widget.Switch',
    clickable: 'true',
    checkable: 'true',
    checked: String(checked),
  })

function renderTree(state: TinyState): Hierarchy {
  return screen(node({ package: APP, class: 'android.widget.FrameLayout' }, ...PAGES[state.screen](state)))
}

const bar = (title: string): Sketch => node({ ...named('toolbar'), class: 'android.view.ViewGroup' }, text(title))

const PAGES: Readonly<Record<TinyState['screen'], (state: TinyState) => Sketch[]>> = {
  home: ({ light, heat, level, saved }) => [
    bar('Home'),
    text('Plain text', named('idle')),
    toggle('light', light),
    toggle('heat', heat),
    node(
      { ...named('level'), class: 'android.widget.LinearLayout' },
      button('minus', '-'),
      text(`${level} %`, named('level_value')),
      button('plus', '+'),
    ),
    button('write', 'Write'),
    button('about', 'About'),
    node(
      { ...named('saved'), class: 'androidx.recyclerview.widget.RecyclerView' },
      ...saved.map((line) => node({ ...named('line') }, text(line, named('line_text')))),
    ),
  ],
  form: ({ draft }) => [
    bar('Write'),
    text('Plain text', named('idle')),
    node({ ...named('field'), class: 'android.widget.EditText', text: draft, clickable: 'true' }),
    button('save', 'Save'),
  ],
  about: ({ news }) => [bar('About'), text('Plain text', named('idle')), toggle('news', news)],
}
