import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { buildZip } from '../skill-import/zip-builder.ts'
import type { ScenarioFile } from '../../src/knowledge/scene-generator/source/scenario.ts'

const scenarios = join(import.meta.dirname, 'scenarios')

export const findScenario = (name: string): string => join(scenarios, name)

/** The files of a scenario folder of the tests. */
export const readScenarioFolder = (name: string): ScenarioFile[] =>
  readdirSync(findScenario(name), { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(scenarios, name, path)).isFile())
    .map((path) => {
      const text = readFileSync(join(scenarios, name, path), 'utf8')
      return { path: path.replaceAll('\\', '/'), bytes: Buffer.byteLength(text), text }
    })

/** A scenario folder of the tests as a zip file. Without `within` its files lie at the top. */
export function zipScenario(name: string, within = ''): Buffer {
  const folder = findScenario(name)
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const files = paths.filter((path) => statSync(join(folder, path)).isFile())
  return buildZip(files.map((path) => ({ name: within + path, content: readFileSync(join(folder, path)) })))
}
