import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { canonicalJson, formatRecipe } from '../../src/knowledge/canonical-json/canonical-json.ts'
import { compileRecipe } from '../../src/knowledge/recipes/compile/compile.ts'
import { createHome, runProgram } from '../commands/program.ts'
import { setTemperature, TOGGLE_POWER_TEXT } from './samples.ts'

/** Creates a folder with files. `recipes` runs the program without a daemon. */
function createFolder(files: Readonly<Record<string, string>>) {
  const folder = createHome()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const at = (name: string) => join(folder, name)
  const recipes = (...args: string[]) => runProgram(['recipes', ...args], { APPRENTICE_HOME: folder })
  return { at, recipes }
}

test('lint prints violations with file and line and exits with 1', async () => {
  const text = TOGGLE_POWER_TEXT.replace('type: click', 'type: tap')
  const { at, recipes } = createFolder({
    'good.md': TOGGLE_POWER_TEXT,
    'bad.md': text,
    'terms.txt': '# local\nappliance\n',
  })
  const line = text.split('\n').indexOf('type: tap') + 1

  expect(await recipes('lint', at('good.md'))).toEqual({
    code: 0,
    stdout: `${at('good.md')}: no problems\n`,
    stderr: '',
  })
  const bad = await recipes('lint', at('bad.md'))
  expect(bad.code).toBe(1)
  expect(bad.stdout).toContain(`${at('bad.md')}:${line}: error RECIPE_ACTION_UNSUPPORTED (rule 5) steps.2.type: `)
  const blocked = await recipes('lint', at('good.md'), '--blocked-terms', at('terms.txt'), '--json')
  expect(blocked.code).toBe(1)
  expect(JSON.parse(blocked.stdout)).toMatchObject({
    valid: false,
    violations: [{ code: 'RECIPE_LITERAL_FORBIDDEN', path: 'summary' }],
  })
})

test('lint uses the blocked terms of the data folder by default', async () => {
  const { at, recipes } = createFolder({
    'good.md': TOGGLE_POWER_TEXT,
    'blocked-terms.txt': '# local\nappliance\n',
    'none.txt': '',
  })
  const blocked = await recipes('lint', at('good.md'))
  expect(blocked.code).toBe(1)
  expect(blocked.stdout).toContain('RECIPE_LITERAL_FORBIDDEN')
  expect(blocked.stdout).toContain('a blocked term')
  expect(await recipes('lint', at('good.md'), '--blocked-terms', at('none.txt'))).toMatchObject({
    code: 0,
  })
})

test('compile prints the execution, or the missing input', async () => {
  const { at, recipes } = createFolder({
    'set.json': formatRecipe(setTemperature),
    'inputs.json': '{"room":"Lobby","degrees":30}',
  })
  const compiled = await recipes('compile', at('set.json'), '--inputs', at('inputs.json'), '--input', 'degrees=21')
  const expected = compileRecipe(setTemperature, { room: 'Lobby', degrees: 21 })

  expect(compiled).toMatchObject({ code: 0, stderr: '' })
  expect(compiled.stdout).toBe(`${canonicalJson(expected.ok && expected.execution)}\n`)
  const incomplete = await recipes('compile', at('set.json'), '--input', 'room=Lobby')
  expect(incomplete).toMatchObject({ code: 1, stdout: '' })
  expect(incomplete.stderr).toContain('RECIPE_INPUT_MISSING')
  expect(incomplete.stderr).toContain('inputs.degrees')
})
