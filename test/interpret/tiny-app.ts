import type { EvidencedRun, EvidencedStep } from '../../src/knowledge/interpret/read/evidence.ts'
import type { Move } from '../../src/knowledge/interpret/read/move.ts'
import type { Hierarchy, UiNode } from '../../src/screen/hierarchy.ts'
import { node, screen, type Sketch, text } from '../screen/tree-builder.ts'

/** An app of three screens, small enough to say what every touch does. */
export interface TinyState {
  readonly screen: 'home' | 'form' | 'about'
  readonly light: boolean
  readonly heat: boolean
  /** On a screen of its own, and told by no other. */
  readonly news: boolean
  readonly level: number
  readonly draft: string
  readonly kept: readonly string[]
}

export const atFirst: TinyState = {
  screen: 'home',
  light: false,
  heat: true,
  news: false,
  level: 5,
  draft: '',
  kept: [],
}

export type TinyTouch =
  | {
      readonly tap:
        | 'light'
        | 'heat'
        | 'news'
        | 'plus'
        | 'minus'
        | 'write'
        | 'about'
        | 'save'
        | 'idle'
    }
  | { readonly type: string }
  | { readonly key: 'back' }

export const touches: readonly TinyTouch[] = [
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

export function after(state: TinyState, touch: TinyTouch): TinyState {
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
      return { ...state, screen: 'home', kept: [...state.kept, state.draft], draft: '' }
    case 'idle':
      return state
  }
}

/** A run of these touches, those left out that the app would not take. */
export function runOf(
  given: readonly TinyTouch[],
  trace = 'tiny',
): { run: EvidencedRun; end: TinyState } {
  const steps: EvidencedStep[] = []
  let state = atFirst
  for (const touch of given) {
    if (!isPossible(state, touch)) continue
    const next = after(state, touch)
    steps.push(stepOf(touch, { state, next, id: `${trace}-${steps.length}`, trace }))
    state = next
  }
  return { run: { trace_id: trace, steps }, end: state }
}

/** What the moves do when they are done on the app as they are meant. */
export function redo(moves: readonly Move[]): TinyState {
  return moves.reduce((state, move) => {
    const id = idOf(move.node)
    if (move.kind === 'toggle') return { ...state, [id]: move.toggled?.checked }
    if (move.kind === 'adjust') return { ...state, level: move.adjustment?.to ?? state.level }
    if (move.kind === 'type') return after(state, { type: move.typed?.text ?? '' })
    if (move.kind === 'key') return after(state, { key: 'back' })
    return after(state, { tap: id as 'write' })
  }, atFirst)
}

const APP = 'com.example.tiny'

function stepOf(
  touch: TinyTouch,
  { state, next, id, trace }: { state: TinyState; next: TinyState; id: string; trace: string },
): EvidencedStep {
  const before = treeOf(state)
  const target = 'tap' in touch ? touch.tap : 'type' in touch ? 'field' : undefined
  const path = before.nodes.find((one) => idOf(one) === target)?.path
  return {
    event_id: id,
    trace_id: trace,
    kind: 'tap' in touch ? 'tap' : 'type' in touch ? 'text' : 'key',
    app: APP,
    action_label: '',
    created_at: '2026-03-01T12:00:00.000Z',
    before,
    after: treeOf(next),
    activity: `.${next.screen}`,
    ...(path !== undefined && { node_path: path }),
    ...('type' in touch && { text: touch.type }),
    ...('key' in touch && { key: touch.key }),
  }
}

function idOf(one: UiNode | undefined): string {
  const id = one?.attributes['resource-id'] ?? ''
  return id.slice(id.lastIndexOf('/') + 1)
}

const named = (id: string) => ({ 'resource-id': `${APP}:id/${id}`, package: APP })
const button = (id: string, words: string): Sketch =>
  node({ ...named(id), class: 'android.widget.Button', text: words, clickable: 'true' })
const toggle = (id: string, checked: boolean): Sketch =>
  node({
    ...named(id),
    class: 'android.widget.Switch',
    clickable: 'true',
    checkable: 'true',
    checked: String(checked),
  })

function treeOf(state: TinyState): Hierarchy {
  return screen(
    node({ package: APP, class: 'android.widget.FrameLayout' }, ...PAGES[state.screen](state)),
  )
}

const bar = (title: string): Sketch =>
  node({ ...named('toolbar'), class: 'android.view.ViewGroup' }, text(title))

const PAGES: Readonly<Record<TinyState['screen'], (state: TinyState) => Sketch[]>> = {
  home: ({ light, heat, level, kept }) => [
    bar('Home'),
    text('Just words', named('idle')),
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
      { ...named('kept'), class: 'androidx.recyclerview.widget.RecyclerView' },
      ...kept.map((words) => node({ ...named('line') }, text(words, named('line_text')))),
    ),
  ],
  form: ({ draft }) => [
    bar('Write'),
    text('Just words', named('idle')),
    node({ ...named('field'), class: 'android.widget.EditText', text: draft, clickable: 'true' }),
    button('save', 'Save'),
  ],
  about: ({ news }) => [bar('About'), text('Just words', named('idle')), toggle('news', news)],
}
