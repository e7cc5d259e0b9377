import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../src/config/paths.ts'
import { projections } from './rig.ts'

test('the table in memory-store/README.md lists every projection', () => {
  const readme = readFileSync(join(packageRoot, 'memory-store', 'README.md'), 'utf8')
  const [, table = ''] = readme.split('| path under `system/` |')
  const rows = [...table.matchAll(/^\| `([^`]+)` \| (\w+) \| ([^|]+) \| ([^|]+) \|$/gm)]

  expect(rows.map(([, path, form]) => `${path} ${form}`).toSorted()).toEqual(
    projections.map(({ path, form }) => `${path} ${form}`).toSorted(),
  )
  for (const [, path, , content, when] of rows) {
    expect(content?.trim(), path).not.toBe('')
    expect(when?.trim(), path).not.toBe('')
  }
})
