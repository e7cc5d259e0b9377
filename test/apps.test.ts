import { expect, test } from 'vitest'
import { listApps } from './apps/app-list.ts'
import { checkApp } from './apps/check-app.ts'

const apps = listApps()

test('both parts of the development set contain apps', () => {
  expect(new Set(apps.map(({ set }) => set))).toEqual(new Set(['work', 'look']))
})

test.for(apps)('$set/$name and its lessons have no faults', async ({ path }) => {
  const { faults, lessons, variations } = await checkApp(path)
  expect(faults).toEqual([])
  expect(lessons).toBeGreaterThan(0)
  expect(variations).toBeGreaterThan(0)
})
