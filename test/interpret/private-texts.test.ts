import { expect, test } from 'vitest'
import { compileDraft } from '../../src/domain/proposals/draft/skill-draft.ts'
import type { ObservedStep } from '../../src/knowledge/steps/observed-step.ts'
import type { Hierarchy } from '../../src/screen/tree/hierarchy.ts'
import { makeDraftSource } from '../proposals/draft-source.ts'
import { node, screen, type Sketch, text } from '../screen/tree-builder.ts'

const APP = 'com.example.chores'

/** Texts that belong to people. Each stands in another place of the screens. */
const MARKS = {
  account: 'Qixola',
  greeted: 'Wyxilo',
  sender: 'Zubramo',
  chosen: 'Gorbul',
  other: 'Kvyrun',
  another: 'Drennik',
  helper: 'Plozzle',
  owner: 'Tarvesh',
  nickname: 'Yondrax',
  typed: 'Prixel',
  liking: 'Hembroq',
  beside: 'Ingrid',
}

const at = (top: number, left = 0, right = 1080, height = 100) => ({
  bounds: `[${left},${top}][${right},${top + height}]`,
})
const control = (label: string, top: number, more = {}) =>
  node({ class: 'android.widget.Button', text: label, clickable: 'true', ...at(top), ...more })

const row = (title: string, helper: string, top: number): Sketch =>
  node(
    { class: 'android.widget.LinearLayout', clickable: 'true', ...at(top, 0, 1080, 150) },
    text(title, at(top, 40, 900, 60)),
    text(`with ${helper}`, at(top + 70, 40, 900, 60)),
  )

function drawList(last: string, news: string): Hierarchy {
  const rows = [
    row(MARKS.other, MARKS.helper, 700),
    row(MARKS.another, MARKS.helper, 850),
    row(last, MARKS.helper, 1000),
    row('Dishes', MARKS.owner, 1150),
  ]
  return draw(
    text(`${MARKS.account}’s chores`, at(100)),
    text(`Hello ${MARKS.greeted}`, at(220)),
    text(news, at(340)),
    node({ class: 'android.view.View', ...at(460) }, text(MARKS.beside, at(460, 40, 500)), box),
    node({ class: 'androidx.recyclerview.widget.RecyclerView', scrollable: 'true', ...at(700, 0, 1080, 700) }, ...rows),
    control('New chore', 2000),
  )
}

const box = node({ class: 'android.widget.CheckBox', clickable: 'true', checkable: 'true', ...at(460, 900, 1040) })

function drawForm(content: string): Hierarchy {
  return draw(
    text(MARKS.chosen, at(100)),
    text(`Owned by ${MARKS.owner}`, at(240)),
    text(`${MARKS.sender} is looking at this`, at(360)),
    text('Name', at(480, 40, 400, 60)),
    node({ class: 'android.widget.EditText', text: content, clickable: 'true', ...at(560) }),
    control(`Ask ${MARKS.helper}`, 1800),
    control('Save', 2000),
  )
}

const draw = (...children: readonly Sketch[]): Hierarchy =>
  screen(toApp(node({ class: 'android.widget.FrameLayout' }, ...children)))

const toApp = ({ attributes, children }: Sketch): Sketch => ({
  attributes: { ...attributes, package: APP },
  children: children.map(toApp),
})

const HOME = drawList(MARKS.chosen, `${MARKS.sender} sent you a photo`)
const FORM = drawForm(MARKS.nickname)
const FILLED = drawForm(MARKS.typed)
const DONE = drawList(MARKS.typed, `${MARKS.liking} likes this`)

function toStep(event: number, kind: ObservedStep['kind'], screens: readonly [Hierarchy, Hierarchy], label: string) {
  const [before, after] = screens
  const found = before.nodes.find(({ attributes }) => attributes['text'] === label)
  const target = kind === 'tap' && label === MARKS.chosen ? found?.parent : found
  return {
    kind,
    event_id: `event-${event}`,
    trace_id: 'trace',
    app: APP,
    action_label: '',
    caused_state_change: true,
    created_at: '2026-03-01T12:00:00.000Z',
    before,
    after,
    node_path: target?.path,
    ...(kind === 'text' && { text: MARKS.typed }),
  }
}

test('no text of a person is in any file of a skill', () => {
  const steps = [
    toStep(1, 'tap', [HOME, FORM], MARKS.chosen),
    toStep(2, 'text', [FORM, FILLED], MARKS.nickname),
    toStep(3, 'tap', [FILLED, DONE], 'Save'),
  ]
  const source = makeDraftSource({ demonstration: { goal: 'Rename a chore', steps: [] } })
  const { files } = compileDraft({ ...source, runs: [{ trace_id: 'trace', steps }] })
  const recipe = files.find(({ name }) => name === 'recipe.json')?.content ?? expect.fail('no recipe')
  expect(recipe).toContain('"Save"')
  for (const { name, content } of files) {
    const leaked = Object.entries(MARKS).filter(([, mark]) => content.toLowerCase().includes(mark.toLowerCase()))
    expect([name, leaked]).toEqual([name, []])
  }
})
