import { installedScenarios } from './scenarios-install.ts'
import { testScenarios } from './test-scenarios.ts'

testScenarios(installedScenarios)
