// Drawn for this app: one stroke, 20 units.
const PATHS: Record<string, string> = {
  inbox: 'M3 11.500 5 4.500h10l2 7v4H3zm0 0h4l1 2h4l1-2h4',
  conversation: 'M3.500 4.500h13v9h-7l-3.500 3v-3h-2.500z',
  agents: 'M10 3.500v2m-4.500 0h9v7h-9zm2 3v.1m5-.1v.1M7 16.500c0-1.500.800-2.500 2-2.500h2c1.200 0 2 1 2 2.500',
  wakes: 'M10 5.500a5.500 5.500 0 1 1 0 11 5.500 5.500 0 0 1 0-11zm0 2.700V11l2 1.500M3.500 6l2.700-2.500m10.300 2.500-2.700-2.500',
  runs: 'M5 4.500 15 10 5 15.500z',
  ledger: 'M5 3.500h10v13H5zm2.500 4h5m-5 3h5m-5 3h3',
  subscribers: 'M10 3.500a4 4 0 0 1 4 4c0 3 .7 4.500 1.700 5.700H4.300C5.300 12 6 10.500 6 7.500a4 4 0 0 1 4-4zm-1.700 12.200a1.800 1.800 0 0 0 3.400 0',
  overview: 'M3.500 15.500v-5m4.300 5v-9m4.400 9v-6m4.300 6v-11',
  bell: 'M10 3.500a4 4 0 0 1 4 4c0 3 .7 4.500 1.700 5.700H4.300C5.300 12 6 10.500 6 7.500a4 4 0 0 1 4-4zm-1.700 12.200a1.800 1.800 0 0 0 3.400 0',
  sun: 'M10 6.500a3.500 3.500 0 1 1 0 7 3.500 3.500 0 0 1 0-7zm0-4v1.500m0 12V17.500M2.500 10H4m12 0h1.500M4.700 4.700l1 1m8.600 8.600 1 1m0-10.600-1 1m-8.600 8.600-1 1',
  moon: 'M15.500 12.200A6.300 6.300 0 0 1 7.800 4.500a6.300 6.300 0 1 0 7.700 7.700z',
  auto: 'M10 3.500a6.500 6.500 0 1 1 0 13zm0 0a6.500 6.500 0 1 0 0 13z',
  help: 'M7.500 7.700a2.500 2.500 0 1 1 3.700 2.200c-.8.500-1.200 1-1.200 2m0 2.600v.1',
  lock: 'M5.500 9h9v7h-9zm2-.200V6.500a2.500 2.500 0 0 1 5 0V8.800',
  close: 'M5.500 5.500l9 9m0-9-9 9',
  check: 'M4.500 10.500l3.500 3.500 7.500-8',
  back: 'M11.500 5 6.500 10l5 5',
  search: 'M9 4a5 5 0 1 1 0 10A5 5 0 0 1 9 4zm3.700 8.700 3.300 3.300',
  branch: 'M6 4v12m0-4c5 0 8-1 8-5V4.500',
};

export function Icon({ name }: { name: string }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" />
    </svg>
  );
}
