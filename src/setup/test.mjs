// `npm test`: provides the system packages and programs that the chosen suites need, then runs the suites.
import { installNewerNode } from './newer-node.mjs'
import { installTestPackages } from './test-packages.mjs'

await installTestPackages(process.argv.slice(2))
await installNewerNode(process.argv.slice(2))
await import('./run-tests.mjs')
