// `npm test`: provides the system packages that the chosen suites need, then runs the suites.
import { installTestPackages } from './test-packages.mjs'

await installTestPackages(process.argv.slice(2))
await import('./run-tests.mjs')
