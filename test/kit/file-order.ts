import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { bundleTests } from './test-bundle.ts'

/** Suites that take longest, the longest first. A long suite that starts last leaves the other workers idle. */
const LONGEST = [
  'connectors/conformance',
  'commands/run.',
  'http/fuzz',
  'documents/approvals',
  'mcp/stdio',
  'commands/',
  'scenes/browser',
  'attack/',
  'skill-runs/outcomes',
  'install/kill-',
  'connectors/kill',
  'scenes/kill',
  'crash/',
  'documents/kill',
  'devices/driver/device-commands',
  'devices/live-screen',
  'apps.test',
  'interpret/flagship',
  'install/',
  'skill-runs/',
  'documents/',
  'home/re',
  'devices/engine/adjust-until',
  'devices/driver/injection',
  'devices/engine/list-search',
  'devices/pool/',
  'practice/',
  'setup/packed',
  'projections/',
  'skills/command',
  'teach/',
  'runs/',
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
  if (project.name !== 'all') return -1
  const rank = LONGEST.findIndex((part) => moduleId.includes(`/test/${part}`))
  return rank === -1 ? LONGEST.length : rank
}
