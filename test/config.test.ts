import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../src/config/config.ts'
import { packageRoot } from '../src/config/paths.ts'

test('a checkout keeps its data in memory-store unless APPRENTICE_HOME says otherwise', () => {
  expect(readConfig({}).home).toBe(join(packageRoot, 'memory-store'))
  expect(readConfig({ APPRENTICE_HOME: '/data' }).home).toBe('/data')
  expect(readConfig({ APPRENTICE_HOME: '' }).home).toBe(join(packageRoot, 'memory-store'))
})
