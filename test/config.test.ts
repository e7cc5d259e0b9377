import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readConfig, takeConfig } from '../src/config/config.ts'
import { packageRoot } from '../src/config/paths.ts'

test('a checkout keeps its data in memory-store unless APPRENTICE_HOME says otherwise', () => {
  expect(readConfig({}).home).toBe(join(packageRoot, 'memory-store'))
  expect(readConfig({ APPRENTICE_HOME: '/data' }).home).toBe('/data')
  expect(readConfig({ APPRENTICE_HOME: '' }).home).toBe(join(packageRoot, 'memory-store'))
})

test('the daemon takes the token out of its environment, so that programs do not inherit it', () => {
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('APPRENTICE_TOKEN', 'a-token-of-an-administrator')
  expect(takeConfig().token).toBe('a-token-of-an-administrator')
  expect('APPRENTICE_TOKEN' in process.env).toBe(false)
})
