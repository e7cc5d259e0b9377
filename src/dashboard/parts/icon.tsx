import {
  Activity,
  ArrowLeft,
  Bell,
  Ban,
  BookOpen,
  Check,
  ChevronRight,
  Circle,
  CircleAlert,
  CircleCheck,
  CircleHelp,
  CirclePause,
  CirclePlay,
  CircleX,
  CirclePower,
  Clapperboard,
  Clock,
  Copy,
  Download,
  ExternalLink,
  FileText,
  Gauge,
  GraduationCap,
  Hand,
  House,
  type IconNode,
  KeyRound,
  LayoutGrid,
  LoaderCircle,
  Maximize,
  Minus,
  Moon,
  MousePointerClick,
  Pencil,
  Plug,
  Plus,
  Receipt,
  RefreshCw,
  RotateCw,
  Search,
  Settings,
  Smartphone,
  SkipForward,
  Square,
  SunMoon,
  Tag,
  Trash2,
  Upload,
  X,
} from 'lucide'
import { h } from 'preact'

const ICONS = {
  activity: Activity,
  alert: CircleAlert,
  back: ArrowLeft,
  ban: Ban,
  bell: Bell,
  book: BookOpen,
  check: Check,
  circle: Circle,
  clock: Clock,
  close: X,
  connector: Plug,
  copy: Copy,
  document: FileText,
  done: CircleCheck,
  download: Download,
  external: ExternalLink,
  failed: CircleX,
  gauge: Gauge,
  hand: Hand,
  help: CircleHelp,
  home: House,
  inspect: MousePointerClick,
  key: KeyRound,
  learn: GraduationCap,
  minus: Minus,
  moon: Moon,
  next: ChevronRight,
  overview: LayoutGrid,
  pause: CirclePause,
  pencil: Pencil,
  phone: Smartphone,
  play: CirclePlay,
  plus: Plus,
  power: CirclePower,
  receipt: Receipt,
  refresh: RefreshCw,
  rotate: RotateCw,
  scene: Clapperboard,
  search: Search,
  settings: Settings,
  skip: SkipForward,
  square: Square,
  tag: Tag,
  theme: SunMoon,
  trash: Trash2,
  upload: Upload,
  wait: LoaderCircle,
  zoom: Maximize,
} satisfies Record<string, IconNode>

export type IconName = keyof typeof ICONS

/** An icon without a name of its own: the text beside it, or the label of its button, says what it means. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  const parts = ICONS[name].map(([tag, attributes], at) => h(tag, { key: at, ...attributes }))
  return (
    <svg
      class={`icon icon-${name}`}
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {parts}
    </svg>
  )
}
