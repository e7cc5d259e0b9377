import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createHome, runProgram, serve } from '../commands/program.ts'
import { buildBundle, buildZip } from './zip-builder.ts'

test('the skills command imports, lists and exports bundles', async () => {
  const home = createHome()
  const { url } = await serve(home)
  const cli = (...args: readonly string[]) => runProgram(['skills', ...args, '--url', url], { APPRENTICE_HOME: home })
  const file = join(home, 'tidy-notes.zip')
  writeFileSync(file, buildZip(buildBundle()))

  expect((await cli('imports')).stdout).toBe('No bundles were imported.\n')
  const imported = await cli('import', file)
  expect([imported.code, imported.stderr]).toEqual([0, expect.stringContaining('scanning')])
  expect(imported.stdout).toMatch(/info {5}MANIFEST_MISSING {2}/)
  expect(imported.stdout).toMatch(/tidy-notes {2}scan_complete {2}[0-9a-f-]{36}\n$/)

  const installed = await cli('import', file, '--install', '--pack', 'general', '--json')
  expect(JSON.parse(installed.stdout)).toMatchObject({
    import_record: {
      stage_state: 'installed_private',
      ability_id: 'imported.tidy-notes',
      skill_pack: 'general',
    },
  })
  const bundle = join(home, 'out.zip')
  const exported = await cli('export', 'imported.tidy-notes', '-o', bundle)
  expect(exported.stdout).toMatch(/out\.zip {2}\d+ bytes\n/)
  expect(readFileSync(bundle).subarray(0, 2).toString()).toBe('PK')
  expect((await cli('imports')).stdout).toContain('installed_private')

  writeFileSync(file, buildZip([{ name: 'README.md', content: '# none' }]))
  const bad = await cli('import', file, '--install')
  expect(bad.code).toBe(1)
  expect(bad.stdout).toContain('SKILL_MD_MISSING')
  const none = await cli('export', 'learned.none')
  expect([none.code, none.stderr]).toEqual([1, 'apprentice: No ability learned.none. (ABILITY_NOT_FOUND)\n'])
  expect((await cli('import', join(home, 'settings.txt'))).code).toBe(1)
}, 60_000)
