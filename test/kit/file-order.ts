import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { bundleTests } from './test-bundle.ts'

/** Suites that take longest, the longest first. A long suite that starts last leaves the other workers idle. */
const LONGEST = [
  'commands/run.',
  'commands/devices',
  'install/kill-',
  'connectors/conformance',
  'connectors/kill',
  'scenes/kill',
  'attack/',
  'crash/',
  'http/fuzz',
  'commands/',
  'devices/driver/device-commands',
  'apps.test',
  'interpret/flagship',
  'devices/engine/adjust-until',
  'devices/driver/injection',
  'devices/engine/list-search',
  'devices/pool/',
  'practice/',
  'setup/packed',
  'projections/kill',
  'skills/command',
  'teach/',
  'runs/',
  'devices/live-screen',
  'validation/rehearsal',
  'mining/',
]

export class FileOrder extends BaseSequencer {
  /** Called before the first worker starts. A watching run keeps the files as they are, to see which have changed. */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    if (!this.ctx.config.watch) await bundleTests([...new Set(files.map(({ moduleId }) => moduleId))])
    const pages = files.filter(isPage)
    const others = files.filter((file) => !isPage(file)).toSorted((left, right) => rankFile(left) - rankFile(right))
    // Page tests mostly wait, but browsers at the same time would only wait for each other: two or three of six workers.
    const first = others.findIndex(({ project }) => project.name === 'all')
    for (const [at, page] of pages.entries()) others.splice(Math.max(first, 0) + at * SPACE_OF_PAGES, 0, page)
    return others
  }
}

/** In the order of files each of this many is a page test, until none is left. */
const SPACE_OF_PAGES = 3

const isPage = ({ moduleId, project }: TestSpecification) => project.name === 'all' && moduleId.includes('/test/pages/')

/** A worker serves one project and is replaced for another, so the files of a project are not mixed with others. */
function rankFile({ moduleId, project }: TestSpecification): number {
  if (project.name === 'real adb') return -1
  const rank = LONGEST.findIndex((part) => moduleId.includes(`/test/${part}`))
  return rank === -1 ? LONGEST.length : rank
}
