import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { checkApp } from './check-app.ts'

const TREE = `<node class="android.view.View" package="org.example.list" bounds="[0,0][1080,2400]">
<node class="android.view.View" content-desc="Refreshed" bounds="[0,2100][400,2200]" /></node>`

const row = {
  type: 'row',
  height: 150,
  on_drop: [{ do: 'move', target: 'saved.tasks', where: 'it.id == dropped', to: 'index' }],
  children: [
    { type: 'text', text: '{item.name}', weight: 1 },
    { type: 'image', description: 'Move {item.name}', drag: '{item.id}', drag_hold: true },
  ],
}

const document = {
  package: 'org.example.list',
  label: 'List',
  version: { name: '1', code: 1 },
  launch_screen: 'main',
  saved: {
    note: 'Call',
    pulls: 0,
    tasks: [
      { id: 1, name: 'Milk' },
      { id: 2, name: 'Bread' },
    ],
  },
  screens: {
    main: {
      content: [
        { type: 'field', bind: 'saved.note', hint: 'Note' },
        { type: 'text', text: '{len(saved.tasks)} tasks' },
        {
          type: 'list',
          items: 'saved.tasks',
          on_swipe: { down: [{ do: 'add', target: 'saved.pulls', by: 1 }] },
          template: [row],
        },
      ],
    },
    done: { tree: 'done.xml' },
  },
}

const lesson = {
  name: 'everything',
  goal: 'Sort the list',
  demonstration: [
    { drag: 'Move Milk', to: 'Bread' },
    { pull: 'down' },
    { type: ' ada', into: 'Call', append: true },
    { pull: 'shade' },
    { key: 'back' },
  ],
  end: "join(map(saved.tasks, it.name), ',') == 'Bread,Milk' && saved.note == 'Call ada' && saved.pulls == 1",
  outputs: [{ key: 'count', accepted_names: ['count'], demonstrated: 2, element: '2 tasks' }],
  proof: { text: 'Milk' },
  variations: [{ name: 'same', kind: 'same', expect: 'success', end: 'saved.pulls > 0', outputs: { count: 2 } }],
}

/** Writes an app with one lesson and checks it. */
async function check(change: object, documentChange: object = {}): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'apprentice-apps-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const lessons = [{ ...lesson, ...change }]
  const file = { package: document.package, style: 'view', about: 'A list.', lessons }
  await writeFile(join(folder, 'list.json'), JSON.stringify({ ...document, ...documentChange }))
  await writeFile(join(folder, 'done.xml'), TREE)
  await writeFile(join(folder, 'list.lessons.json'), JSON.stringify(file))
  return (await checkApp(join(folder, 'list'))).faults
}

test('drags, pulls, appended text, outputs, proofs and tree files have no faults', async () => {
  expect(await check({})).toEqual([])
})

test.each([
  [{ proof: 'Cheese' }, /proof: "Cheese" matches 0 elements/],
  [{ outputs: [{ ...lesson.outputs[0], demonstrated: 3 }] }, /output count: "3" is not displayed/],
  [{ outputs: [{ ...lesson.outputs[0], demonstrated: ['Milk', 'Eggs'] }] }, /output count: "Eggs" is not displayed/],
  [{ outputs: [{ ...lesson.outputs[0], element: 'Nothing' }] }, /output count: "Nothing" matches 0 elements/],
  [{ variations: [{ ...lesson.variations[0], outputs: { total: 1 } }] }, /same: output total is not declared/],
  [{ demonstration: [{ drag: 'Move Milk' }] }, /lessons\.0\.demonstration/],
])('fault %# of a lesson is reported', async (change, expected) => {
  const faults = await check(change)
  expect(
    faults.some((fault) => expected.test(fault)),
    faults.join('\n'),
  ).toBe(true)
})

test('a toolkit that is not the style of the lessons is a fault', async () => {
  expect(await check({}, { toolkit: 'flutter' })).toContain('style is view, toolkit of the document is flutter')
})
